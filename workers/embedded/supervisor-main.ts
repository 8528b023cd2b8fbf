import { createLogger } from '../telemetry/logger.js';
import { launchSchema } from './control-protocol.js';
import { Supervisor } from './supervisor.js';

/** The detached process behind `fermata up`. Gets its launch from its parent, then needs it no more. */
const log = createLogger('supervisor');
const launchLimitMs = 10_000;

// A parent that dies before it has said what to start must not leave an idle process behind.
const unlaunched = setTimeout(() => process.exit(1), launchLimitMs);

process.once('message', (message) => {
  clearTimeout(unlaunched);
  start(message).catch((error: unknown) => {
    log.fatal({ err: error }, 'the stack could not be started');
    process.exit(1);
  });
});

async function start(message: unknown): Promise<void> {
  const supervisor = await Supervisor.start(launchSchema.parse(message), process.env, log);
  const stop = (): void => void supervisor.stop().then(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (!process.connected) return;
  process.send?.({ type: 'accepted' });
  process.disconnect();
}
