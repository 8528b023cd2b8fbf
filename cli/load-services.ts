/** The real services, each imported when it is first used. */
import { tmpdir } from 'node:os';
import type { Connection } from '@temporalio/client';
import { FermataError } from '../plans/protocol/errors.js';
import { queues } from '../plans/protocol/queues.js';
import type { LoadOptions } from '../workers/config/load.js';
import type { Place, Services } from './services.js';

/** Limit for a server's first answer. */
const connectLimit = '5s';

type QueueRequest = Parameters<Connection['workflowService']['describeTaskQueue']>[0];

/** Values of `temporal.api.enums.v1.TaskQueueType`, whose package is not ours to import. */
const queueTypes = { workflow: 1, activity: 2 } as unknown as Readonly<
  Record<'workflow' | 'activity', NonNullable<QueueRequest['taskQueueType']>>
>;

function loadOptions({ cwd, env }: Place): LoadOptions {
  const config = env['FERMATA_CONFIG'];
  return { cwd, env, ...(config ? { flags: { config } } : {}) };
}

async function connectTo(address: string): Promise<Connection> {
  const { Connection } = await import('@temporalio/client');
  try {
    return await Connection.connect({ address, connectTimeout: connectLimit });
  } catch (error) {
    throw new FermataError('ServerUnreachable', `no Temporal server answers at ${address}`, { cause: error });
  }
}

export function loadServices(): Services {
  const services: Services = {
    fetch: (...request) => fetch(...request),
    async connect(place, note) {
      const { settings } = await services.settings(place);
      const [{ ensureStack }, { connectWith }] = await Promise.all([
        import('../workers/embedded/stack.js'),
        import('../client/connect.js'),
      ]);
      // First, so that the person hears what takes so long; connecting then finds the stack running.
      await ensureStack(settings, place.env, { onProgress: note });
      return connectWith(settings, place.cwd, place.env);
    },
    async settings(place) {
      const { loadSettings } = await import('../workers/config/load.js');
      return loadSettings(loadOptions(place));
    },
    async up(settings, place, note) {
      const { up } = await import('../workers/embedded/stack.js');
      return up(settings, place.env, { onProgress: note });
    },
    async down(settings) {
      const { down } = await import('../workers/embedded/stack.js');
      return down(settings);
    },
    async stack(settings) {
      const { status } = await import('../workers/embedded/stack.js');
      return status(settings);
    },
    async serverBinary(place, note) {
      const { findServerBinary } = await import('../workers/embedded/server-binary.js');
      const found = await findServerBinary({ env: place.env, onProgress: note });
      return `${found.path} (${found.version}, ${found.foundBy})`;
    },
    async pollers({ address, namespace }) {
      const connection = await connectTo(address);
      try {
        return await Promise.all(
          Object.values(queues).map(async (queue) => {
            const { pollers } = await connection.workflowService.describeTaskQueue({
              namespace,
              taskQueue: { name: queue },
              taskQueueType: queue === queues.workflows ? queueTypes.workflow : queueTypes.activity,
            });
            return { queue, workers: pollers.length };
          }),
        );
      } finally {
        await connection.close();
      }
    },
    async weights(dir) {
      const { listWeights } = await import('../workers/runtime/weights/verify.js');
      return listWeights(dir);
    },
    async pull(name, options) {
      const { pullWeights } = await import('../workers/runtime/weights/pull.js');
      return pullWeights(name, options);
    },
    async verify(name, dir) {
      const { verifyWeights } = await import('../workers/runtime/weights/verify.js');
      await verifyWeights(name, { dir });
    },
    async ledger(settings) {
      const { openLedger } = await import('../workers/runtime/ledger/open.js');
      return openLedger(settings.ledger);
    },
    async store(settings) {
      const { openObjectStore } = await import('../workers/runtime/objects/open.js');
      return openObjectStore(settings.store);
    },
    async toParquet(arrow, parquet) {
      const { convertResult } = await import('../workers/runtime/duckdb/convert-result.js');
      await convertResult({ arrowPath: arrow, outPath: parquet, format: 'parquet', tempDir: tmpdir() });
    },
    async duckdbVersion() {
      const { version } = await import('@duckdb/node-api');
      return version();
    },
  };
  return services;
}
