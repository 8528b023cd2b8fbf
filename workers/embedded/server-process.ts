import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { parseJson, type JsonValue } from '../../plans/protocol/json.js';
import { choosePorts, loopback, type ServerPorts } from './free-ports.js';
import { readFrom } from './log-files.js';
import type { StackPlan } from './stack-plan.js';
import { logFile, type StackPaths } from './stack-state.js';
import type { ProcessSpec } from './supervised-process.js';

export const serverName = 'server';
export const namespace = 'default';
const pollMs = 25;

const attributesReply = z.object({ customAttributes: z.record(z.string(), z.string()).default({}) });

/** Without WAL and NORMAL each task is a synchronous write to disk, and the server stalls under a backlog. */
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];

/** Fair and strictly prioritised task queues need the matching service to keep one partition a queue. */
const dynamicConfig = [
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];

export interface ServerSpecOptions {
  readonly binary: string;
  readonly paths: StackPaths;
  readonly plan: StackPlan;
  readonly ports: () => ServerPorts;
  /** Called when the ports of the last start are no longer free, with the ones to use from now on. */
  readonly movePorts: (ports: ServerPorts) => void;
}

/** The embedded Temporal server as a supervised process. */
export function serverSpec(options: ServerSpecOptions): ProcessSpec {
  const { binary, paths, plan } = options;
  const log = logFile(paths, serverName);
  return {
    name: serverName,
    log,
    readyLimitMs: plan.timings.serverReadyMs,
    stopMs: plan.timings.serverStopMs,
    prepare: async () => {
      const ports = await choosePorts(options.ports());
      if (ports !== options.ports()) options.movePorts(ports);
      return {
        command: binary,
        args: serverArguments(ports, paths.database, plan.searchAttributes),
        env: serverEnvironment(),
        cwd: paths.home,
        channel: false,
      };
    },
    ready: async (_child, logFrom, ended) => {
      const { http } = options.ports();
      while (!(printedBanner(log, logFrom, http) && (await serves(http, Object.keys(plan.searchAttributes))))) {
        await sleep(pollMs, undefined, { signal: ended });
      }
    },
  };
}

function serverArguments(ports: ServerPorts, database: string, attributes: Readonly<Record<string, string>>): string[] {
  return [
    ...['server', 'start-dev', '--ip', loopback],
    ...['--port', String(ports.grpc), '--ui-port', String(ports.ui)],
    ...['--http-port', String(ports.http), '--metrics-port', String(ports.metrics)],
    ...['--db-filename', database, ...sqlitePragmas.flatMap((pragma) => ['--sqlite-pragma', pragma])],
    ...dynamicConfig.flatMap((setting) => ['--dynamic-config-value', setting]),
    ...Object.entries(attributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...['--log-level', 'warn', '--log-format', 'json'],
  ];
}

/** No API keys, and none of the variables by which the Temporal CLI would read a profile of the user. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const passed = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ'];
  return Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** The server prints its addresses once it has the ports: the proof that what answers there is ours. */
function printedBanner(log: string, from: number, httpPort: number): boolean {
  return readFrom(log, from).includes(`:${httpPort}\n`);
}

/** Whether the server's HTTP API knows the namespace and all search attributes. */
async function serves(httpPort: number, attributes: readonly string[]): Promise<boolean> {
  const reply = await getJson(`http://${loopback}:${httpPort}/api/v1/namespaces/${namespace}/search-attributes`);
  const known = attributesReply.safeParse(reply).data;
  return known !== undefined && attributes.every((name) => name in known.customAttributes);
}

async function getJson(url: string): Promise<JsonValue> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 2_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('error', () => resolve(null));
      response.on('end', () => {
        const parsed = parseJson(body);
        resolve(response.statusCode === 200 && parsed.ok ? parsed.value : null);
      });
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });
}
