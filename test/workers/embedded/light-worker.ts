import { createHash } from 'node:crypto';

/**
 * Stands in for a worker where only the life of its process matters: ready at once, tells what it was given (of the key
 * only a hash, so that a test can search the project for the key itself), leaves when told and when its supervisor is gone.
 */
const { FERMATA_WORKER_NAME, FERMATA_STACK_ADDRESS, TEST_KEY } = process.env;
const key = createHash('sha256').update(String(TEST_KEY)).digest('hex').slice(0, 8);
console.log(`worker=${String(FERMATA_WORKER_NAME)} address=${String(FERMATA_STACK_ADDRESS)} key=${key}`);
setInterval(() => undefined, 1_000);
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
process.send?.({ type: 'ready' });
