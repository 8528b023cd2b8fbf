import type { Command } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import type { Check, Finding, Patient } from '../doctor/check.js';
import { fixedChecks } from '../doctor/checks.js';
import { modelChecks } from '../doctor/models.js';
import { asFermataError } from '../errors.js';
import { commonOptions } from '../options.js';
import { pad, textWidth } from '../render/width.js';

interface Row extends Finding {
  readonly name: string;
  readonly required: boolean;
}

async function examine(check: Check, patient: Patient): Promise<Row> {
  const about = { name: check.name, required: check.required };
  try {
    return { ...about, ...(await check.examine(patient)) };
  } catch (error) {
    const ours = asFermataError(error);
    return { ...about, ok: false, detail: ours.message, ...(ours.hint === undefined ? {} : { hint: ours.hint }) };
  }
}

function rowLines(context: Context, rows: readonly Row[]): readonly string[] {
  const { style } = context;
  const width = Math.max(...rows.map((row) => textWidth(row.name)));
  return rows.flatMap((row) => {
    const mark = row.ok ? style.green('ok  ') : row.required ? style.red('FAIL') : style.yellow('warn');
    const line = `${mark}  ${pad(row.name, width, 'left')}  ${row.detail}`;
    return row.ok || row.hint === undefined ? [line] : [line, `${' '.repeat(width + 8)}→ ${row.hint}`];
  });
}

async function doctor(context: Context): Promise<number> {
  const { settings } = await context.services.settings(context.place);
  const patient: Patient = { context, settings, stack: await context.services.stack(settings) };
  const rows: Row[] = [];
  for (const check of [...fixedChecks, ...modelChecks(settings)]) rows.push(await examine(check, patient));
  const healthy = rows.every((row) => row.ok || !row.required);
  if (context.json) await printJson(context, 'fermata/doctor/1', { healthy, checks: rows });
  else await context.print(`${rowLines(context, rows).join('\n')}\n`);
  return healthy ? exitCodes.ok : exitCodes.failed;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command).action((flags: CommonFlags) => run(flags, doctor));
  },
};
