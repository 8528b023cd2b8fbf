/** The shortest program that makes the same calls: what this machine and the endpoint allow. */
import type { BenchEndpoint, EndpointUse } from './endpoint.js';
import { reviewText } from './rows.js';

export interface LoopUse extends EndpointUse {
  /** CPU of this process, user and system. */
  readonly cpuMsACall: number;
}

/** `concurrency` loops of the global `fetch` over `calls` prompts. */
export async function plainLoop(endpoint: BenchEndpoint, concurrency: number, calls: number): Promise<LoopUse> {
  await endpoint.reset();
  let next = 0;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < calls) {
        const content = `Is this a bad review? ${reviewText(next++, 'fetch')}`;
        const response = await fetch(`${endpoint.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
          body: JSON.stringify({ model: 'fake-1', messages: [{ role: 'user', content }] }),
        });
        await response.json();
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { ...(await endpoint.use()), cpuMsACall: (user + system) / 1000 / calls };
}
