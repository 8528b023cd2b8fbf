/** The real services, each imported when it is first used. */
import { tmpdir } from 'node:os';
import type { Connection } from '@temporalio/client';
import { FermataError } from '../plans/protocol/errors.js';
import { queues } from '../plans/protocol/queues.js';
import type { LoadedSettings } from '../workers/config/load.js';
import type { Place, Services } from './services.js';

type QueueRequest = Parameters<Connection['workflowService']['describeTaskQueue']>[0];

/** Values of `temporal.api.enums.v1.TaskQueueType`, whose package is not ours to import. */
const queueTypes = { workflow: 1, activity: 2 } as unknown as Readonly<
  Record<'workflow' | 'activity', NonNullable<QueueRequest['taskQueueType']>>
>;

export function loadServices(): Services {
  /** A command asks for its settings more than once; they are read once. */
  const loaded = new WeakMap<Place, Promise<LoadedSettings>>();
  const services: Services = {
    fetch: (...request) => fetch(...request),
    async connect(place, note) {
      const [{ settings }, { connectWith }] = await Promise.all([
        services.settings(place),
        import('../client/connect.js'),
      ]);
      return connectWith(settings, { ...place, onProgress: note });
    },
    settings(place) {
      const reading =
        loaded.get(place) ?? import('../workers/config/load.js').then((module) => module.loadSettings(place));
      loaded.set(place, reading);
      return reading;
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
    async work(settings, place, work) {
      const at = settings.temporal;
      if (at === undefined) throw new FermataError('Internal', 'workers in the foreground need a cluster');
      const [{ temporalServer }, { connectServer }, { runForeground }] = await Promise.all([
        import('../workers/config/temporal.js'),
        import('../client/server-connection.js'),
        import('../workers/embedded/foreground.js'),
      ]);
      const server = await temporalServer(settings, place.env, at);
      await (await connectServer(server)).close();
      await runForeground({ ...work, settings, server: at, env: place.env });
    },
    async serverBinary(place, note) {
      const { findServerBinary } = await import('../workers/embedded/server-binary.js');
      const found = await findServerBinary({ env: place.env, onProgress: note });
      return `${found.path} (${found.version}, ${found.foundBy})`;
    },
    async pollers(settings, place, stack) {
      const [{ temporalServer }, { connectServer }] = await Promise.all([
        import('../workers/config/temporal.js'),
        import('../client/server-connection.js'),
      ]);
      const { namespace, ...server } = await temporalServer(settings, place.env, stack);
      const connection = await connectServer({ ...server, namespace });
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
    async describe(settings, place, tables) {
      const { describeInputs } = await import('./planning/describe.js');
      return describeInputs(settings, place.cwd, tables);
    },
    async duckdbVersion() {
      const { version } = await import('@duckdb/node-api');
      return version();
    },
  };
  return services;
}
