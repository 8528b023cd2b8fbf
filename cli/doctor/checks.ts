import { queues } from '../../plans/protocol/queues.js';
import { isUp } from '../render/stack.js';
import { bytes, counted } from '../render/numbers.js';
import type { Check, Finding, Patient } from './check.js';

/** Oldest Node.js line that is supported, as in package.json. */
const leastNode = [20, 19] as const;

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
  return { ok, detail: version, ...(ok ? {} : { hint: `install Node.js ${leastNode.join('.')} or newer` }) };
}

async function server({ context, settings, stack }: Patient): Promise<Finding> {
  if (stack.state === 'external') {
    await context.services.pollers(settings, context.place, stack);
    return { ok: true, detail: `answers at ${stack.address}` };
  }
  if (isUp(stack) && 'address' in stack)
    return { ok: true, detail: `${stack.state} at ${stack.address}, UI ${stack.uiUrl}` };
  const binary = await context.services.serverBinary(context.place, (text) => void context.note(text));
  return { ok: true, detail: `not running; any query starts it: ${binary}` };
}

/** Queues without whose workers no query ends. */
const neededQueues: readonly string[] = [queues.workflows, queues.cpu, queues.inferenceCpu];

async function workers({ context, settings, stack }: Patient): Promise<Finding> {
  if (!isUp(stack) || !('address' in stack)) return { ok: true, detail: 'not running; any query starts them' };
  const found = await context.services.pollers(settings, context.place, stack);
  const missing = neededQueues.filter((queue) => !found.some((row) => row.queue === queue && row.workers > 0));
  const detail = found.map((row) => `${row.queue} ${row.workers}`).join(', ');
  if (missing.length === 0) return { ok: true, detail };
  const hint =
    stack.state === 'external'
      ? 'start workers for your cluster: fermata worker'
      : 'see the logs named by fermata status';
  return { ok: false, detail: `nobody works on ${missing.join(', ')}`, hint };
}

async function store({ context, settings }: Patient): Promise<Finding> {
  const opened = await context.services.store(settings);
  const hash = await opened.put(new TextEncoder().encode('fermata doctor'));
  const ok = new TextDecoder().decode(await opened.get(hash)) === 'fermata doctor';
  const where =
    settings.store.kind === 'local' ? settings.store.dir : `s3://${settings.store.bucket}/${settings.store.prefix}`;
  return { ok, detail: ok ? `writes and reads ${where}` : `${where} gives back other bytes than it was given` };
}

async function ledger({ context, settings }: Patient): Promise<Finding> {
  const opened = await context.services.ledger(settings);
  try {
    const stats = await opened.stats();
    return { ok: true, detail: `${counted(stats.answers, 'answer')}, ${bytes(stats.bytes)}` };
  } finally {
    await opened.close();
  }
}

/** What every project needs, in the order in which one thing needs the other. */
export const fixedChecks: readonly Check[] = [
  { name: 'Node.js', required: true, examine: () => Promise.resolve(nodeFinding(process.versions.node)) },
  {
    name: 'DuckDB',
    required: true,
    examine: async ({ context }) => ({ ok: true, detail: await context.services.duckdbVersion() }),
  },
  { name: 'store', required: true, examine: store },
  { name: 'ledger', required: true, examine: ledger },
  { name: 'Temporal server', required: true, examine: server },
  { name: 'workers', required: true, examine: workers },
];
