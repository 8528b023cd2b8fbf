import type { LogLevel, LogMetadata, Logger as SdkLogger } from '@temporalio/common';
import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Levels that `FERMATA_LOG_LEVEL` may name, most to least verbose. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevelName = (typeof logLevels)[number];

/** The level named by `FERMATA_LOG_LEVEL`; anything else counts as `info`, since a typo must not end a worker. */
export function logLevel(env: NodeJS.ProcessEnv = process.env): LogLevelName {
  const wanted = env['FERMATA_LOG_LEVEL']?.toLowerCase();
  return logLevels.find((level) => level === wanted) ?? 'info';
}

/**
 * A logger that writes one JSON object a line to stderr, synchronously, so that the last line before a crash is kept.
 *
 * @param process - which of our processes speaks, e.g. `cpu`; stands in every line
 */
export function createLogger(process: string, level: LogLevelName = logLevel()): Logger {
  return pino(
    {
      level,
      base: { process, pid: globalThis.process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

const pinoLevel = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, LogLevelName>;

/** The Temporal SDK's logger on top of ours: what the SDK, workflows and activities log goes to the same lines. */
export function sdkLogger(log: Logger): SdkLogger {
  const write = (level: LogLevel, message: string, meta?: LogMetadata): void => {
    log[pinoLevel[level]](meta ?? {}, message);
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}
