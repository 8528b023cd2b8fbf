/** A user's project in a temporary folder, with the embedded stack and a fake endpoint as its only model. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fermata } from '../../client/api.js';
import { connect } from '../../client/connect.js';
import { loadSettings } from '../../workers/config/load.js';
import { down } from '../../workers/embedded/stack.js';
import { type Endpoint, type EndpointOptions, startEndpoint } from './endpoint.js';

export interface Project {
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly endpoint: Endpoint;
  connect(): Promise<Fermata>;
  /** Writes a file of the project and returns its name. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

export interface ProjectOptions {
  readonly endpoint?: EndpointOptions;
  readonly concurrency?: number;
  /** Lines added under `models.fake` in fermata.yaml. */
  readonly model?: Readonly<Record<string, unknown>>;
  /** Models beside `fake`, with what they have unlike it. */
  readonly others?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Name of the default embedder. */
  readonly embedder?: string;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openProject(options: ProjectOptions = {}): Promise<Project> {
  const dir = await mkdtemp(join(tmpdir(), 'fermata-project-'));
  const endpoint = await startEndpoint(options.endpoint);
  const model = {
    kind: 'openai',
    model: 'fake-1',
    baseUrl: endpoint.baseUrl,
    apiKeyEnv: 'FAKE_KEY',
    price: { inputPerMTok: 1, outputPerMTok: 2 },
    limits: { concurrency: options.concurrency ?? 16 },
    ...options.model,
  };
  const others = Object.entries(options.others ?? {}).map(([name, other]) => [name, { ...model, ...other }] as const);
  const models = { fake: model, ...Object.fromEntries(others) };
  const defaults = { llm: 'fake', ...(options.embedder === undefined ? {} : { embedder: options.embedder }) };
  await writeFile(join(dir, 'fermata.yaml'), JSON.stringify({ models, defaults }));
  const env = {
    ...process.env,
    FAKE_KEY: 'sk-test-secret',
    OPENAI_API_KEY: '',
    OPENAI_BASE_URL: '',
    TEMPORAL_ADDRESS: undefined,
    ...options.env,
  };
  return {
    dir,
    env,
    endpoint,
    connect: () => connect({ cwd: dir, env }),
    async write(name, content) {
      await writeFile(join(dir, name), content);
      return name;
    },
    async close() {
      const { settings } = await loadSettings({ cwd: dir, env });
      await down(settings);
      await endpoint.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A CSV of `rows` reviews, `id` and `text`; every third one is bad. `tag` makes the texts of one test its own. */
export function reviews(rows: number, options: { readonly distinct?: number; readonly tag?: string } = {}): string {
  const lines = Array.from({ length: rows }, (_, id) => {
    const n = id % (options.distinct ?? rows);
    return `${id},"review ${n}: ${n % 3 === 0 ? 'bad' : 'good'} film ${options.tag ?? ''}"`;
  });
  return `id,text\n${lines.join('\n')}\n`;
}
