import type { Command } from 'commander';
import type { CommonFlags, Context } from './context.js';

/** Runs a command's work with its context; the number is the exit code. */
export type Runner = (flags: CommonFlags, work: (context: Context) => Promise<number>) => Promise<void>;

/** One file a command exports this: its flags, and what it does. */
export interface CommandModule {
  configure(command: Command, run: Runner): void;
}

export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}
