import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadServices } from '../../cli/load-services.js';
import { freePort } from '../support/temporal-server.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fermata-services-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('reads the settings of a place once, by FERMATA_CONFIG where it is set', async () => {
  const services = loadServices();
  const file = join(folder, 'other.yaml');
  writeFileSync(file, 'limits: { maxCostUsd: 3 }');
  const place = { cwd: folder, env: { HOME: folder, FERMATA_CONFIG: 'other.yaml' } };
  const first = await services.settings(place);
  expect(first.settings.limits.maxCostUsd).toBe(3);
  expect(first.origins['limits.maxCostUsd']).toMatchObject({ kind: 'file' });
  writeFileSync(file, 'limits: { maxCostUsd: 4 }');
  expect(await services.settings(place)).toBe(first);
  expect((await services.settings({ ...place })).settings.limits.maxCostUsd).toBe(4);
});

it('doctor reaches a secured cluster by the same variables as a query, and says what is wrong with them', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const place = {
    cwd: folder,
    env: { HOME: folder, TEMPORAL_ADDRESS: address, TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'no.pem') },
  };
  const services = loadServices();
  const { settings } = await services.settings(place);
  const refused = { code: 'BadConfig', message: expect.stringContaining('no.pem') as string };
  await expect(services.pollers(settings, place, settings.temporal!)).rejects.toMatchObject(refused);
  await expect(services.connect(place, () => undefined)).rejects.toMatchObject(refused);
});
