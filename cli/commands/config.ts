import type { Command } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { LoadedSettings } from '../../workers/config/load.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import { commonOptions } from '../options.js';
import { type GridColumn, grid } from '../render/grid.js';

interface Shown {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}

/** The nearest origin: a key's own, or that of the group it belongs to. */
function originOf(key: string, origins: LoadedSettings['origins']): string {
  for (let at = key; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const origin = origins[at];
    if (origin) return origin.from === undefined ? origin.kind : `${origin.kind} ${origin.from}`;
  }
  return 'derived';
}

function leaves(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}

/** Settings as flat rows; they never hold a key, only the name of its variable. */
export function shownSettings({ settings, origins }: LoadedSettings): readonly Shown[] {
  return leaves(settings, '').map(([key, value]) => ({ key, value, origin: originOf(key, origins) }));
}

async function show(context: Context, origin: boolean): Promise<number> {
  const rows = shownSettings(await context.services.settings(context.place));
  const columns: readonly GridColumn<Shown>[] = [
    { title: 'setting', text: (row) => row.key },
    { title: 'value', text: (row) => (typeof row.value === 'string' ? row.value : JSON.stringify(row.value)) },
    ...(origin ? [{ title: 'from', text: (row: Shown) => row.origin }] : []),
  ];
  if (context.json) await printJson(context, 'fermata/config/1', { settings: rows });
  else await context.print(`${grid(rows, columns, undefined).join('\n')}\n`);
  return exitCodes.ok;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command.command('show').description('settings in force'))
      .option('--origin', 'say where each setting comes from')
      .action((flags: CommonFlags & { readonly origin?: boolean }) =>
        run(flags, (context) => show(context, flags.origin === true)),
      );
  },
};
