import type { StackStatus } from '../../workers/embedded/stack.js';
import { type GridColumn, grid } from './grid.js';

type Running = Exclude<StackStatus, { readonly state: 'down' | 'external' | 'stale' }>;
type Process = Running['processes'][number];

const columns: readonly GridColumn<Process>[] = [
  { title: 'process', text: (process) => process.name },
  { title: 'state', text: (process) => process.state },
  { title: 'pid', align: 'right', text: (process) => String(process.pid ?? '') },
  { title: 'restarts', align: 'right', text: (process) => String(process.restarts) },
  { title: 'last end', text: (process) => process.lastExit ?? '' },
  { title: 'log', text: (process) => process.log },
];

/** Whether queries can be sent. */
export function isUp(status: StackStatus): boolean {
  return (
    status.state === 'external' ||
    status.state === 'ready' ||
    status.state === 'degraded' ||
    status.state === 'starting'
  );
}

/** The state of the stack as lines. */
export function stackLines(status: StackStatus, width: number | undefined): readonly string[] {
  if (status.state === 'down') return [`down (${status.home})`];
  if (status.state === 'external') return [`your own cluster: ${status.address}, namespace ${status.namespace}`];
  if (status.state === 'stale')
    return [`killed; left behind: ${status.leftovers.join(', ') || 'nothing'}`, 'fermata down clears it away'];
  return [
    `${status.state} · server ${status.address}, namespace ${status.namespace} · UI ${status.uiUrl}`,
    ...grid(status.processes, columns, width),
  ];
}
