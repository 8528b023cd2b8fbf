import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { loadSettings } from '../../workers/config/load.js';
import { down, status } from '../../workers/embedded/stack.js';
import { openProject, type Project } from '../support/project.js';
import { runCli } from '../support/run-cli.js';
import { processesIn } from '../workers/embedded/project.js';
import { accessKey, installVersitygw, secretKey, Versitygw } from '../support/versitygw.js';

/** The whole engine with its objects on a real S3 server: data in, media, partitions, result, and a second run. */

const installed = await installVersitygw();
if ('reason' in installed) console.warn(`Skipped: ${installed.reason}.`);

describe.skipIf('reason' in installed)('with FERMATA_STORE=s3://…', () => {
  const bucket = 'fermata-e2e';
  const rows = 24;
  const sql =
    "SELECT id, AI_CLASSIFY(text, ['good', 'bad']) AS verdict FROM cars " +
    "WHERE AI_FILTER('Is the car in {pic} red?') ORDER BY id";
  const red = pixel(255, 0);
  const blue = pixel(0, 255);
  let server: Versitygw;
  let project: Project;
  let fermata: Fermata;

  beforeAll(async () => {
    if (!('path' in installed)) return;
    server = await Versitygw.start(installed.path, bucket);
    // The client in this process reads them; the workers inherit them.
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretKey);
    project = await openProject({
      model: { modalities: ['text', 'image'] },
      endpoint: {
        answer: ({ prompt, body }) => {
          if (prompt.includes('red?'))
            return JSON.stringify({ answer: JSON.stringify(body).includes(red.toString('base64')) });
          return JSON.stringify({ answer: prompt.includes('rusty') ? 'bad' : 'good' });
        },
      },
      env: { FERMATA_STORE: `s3://${bucket}/deep/prefix?endpoint=${server.endpoint}` },
    });
    await project.write('red.png', red);
    await project.write('blue.png', blue);
    const lines = Array.from(
      { length: rows },
      (_, id) => `${id},${id % 2 === 0 ? 'red' : 'blue'}.png,"car ${id % 6}, ${id % 6 === 0 ? 'rusty' : 'like new'}"`,
    );
    await project.write('cars.csv', `id,pic,text\n${lines.join('\n')}\n`);
    fermata = await project.connect();
  }, 240_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    if (!('path' in installed)) return;
    await fermata.close();
    await project.close();
    await server.stop();
  });

  const expected = Array.from({ length: rows / 2 }, (_, at) => ({
    id: 2 * at,
    verdict: (2 * at) % 6 === 0 ? 'bad' : 'good',
  }));
  const tables = { cars: { path: 'cars.csv', image: ['pic'] } };
  const ask = async () => {
    const run = await fermata.sql(sql, { tables });
    const found = (await run.rows()).map(({ id, verdict }) => ({ id: Number(id), verdict }));
    return { id: run.id, found, result: await run.result() };
  };

  test('a query over text and images gives its rows, and a second run costs nothing', async () => {
    const first = await ask();
    expect(first.found).toEqual(expected);
    // Two images, and three texts among the red cars.
    expect(first.result.spend).toMatchObject({ calls: 5, failed: 0 });
    const before = project.endpoint.counts.calls;
    const second = await ask();
    expect(second.found).toEqual(expected);
    expect(second.result.spend).toMatchObject({ calls: 0, cached: 5 });
    expect(project.endpoint.counts.calls).toBe(before);

    const read = await runCli(project, 'result', first.id, '-o', 'json');
    expect(read).toMatchObject({ code: 0 });
    expect(read.stdout).toContain('"verdict"');
  });

  test('objects are in the bucket below the prefix, and none in the project', () => {
    const stored = readdirSync(server.pathOf(bucket, 'deep/prefix'));
    expect(stored.sort()).toEqual(['named', 'objects']);
    expect(existsSync(join(project.dir, '.fermata', 'store'))).toBe(false);
  });

  test('down leaves no process behind, and the results can be read by the next stack', async () => {
    const { settings } = await loadSettings({ cwd: project.dir, env: project.env });
    await fermata.close();
    expect(processesIn(settings.home).length).toBeGreaterThan(0);
    const done = await runCli(project, 'down');
    expect(done.code).toBe(0);
    expect((await status(settings)).state).toBe('down');
    expect(processesIn(settings.home)).toEqual([]);
    fermata = await project.connect();
    const again = await ask();
    expect(again.found).toEqual(expected);
    expect(again.result.spend.calls).toBe(0);
    expect(await down(settings)).toBe(true);
  });
});

/** A PNG of one pixel. */
function pixel(red: number, blue: number): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from([0, red, 0, blue]))), chunk('IEND')];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
