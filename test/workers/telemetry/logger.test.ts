import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { compiled } from '../../../workers/embedded/package-root.js';
import { logLevel } from '../../../workers/telemetry/logger.js';

/** Logs in a process of its own, since the logger writes to file descriptor 2. */
function logged(code: string, level?: string): Record<string, unknown>[] {
  const program = `
    import { createLogger, sdkLogger } from ${JSON.stringify(compiled('workers/telemetry/logger.js'))};
    const log = createLogger('cpu');
    ${code}`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, FERMATA_LOG_LEVEL: level },
  });
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the logger', () => {
  it('writes JSON lines with level, time and process, also when the process ends at once', () => {
    const [line] = logged("log.error({ row: 7 }, 'first\\nsecond'); process.exit(1);");
    expect(line).toMatchObject({ level: 'error', process: 'cpu', row: 7, msg: 'first\nsecond' });
    expect(new Date(String(line!['time'])).getFullYear()).toBeGreaterThan(2000);
  });

  it('takes what the SDK logs, at its level, with big integers in it', () => {
    const lines = logged(
      `const sdk = sdkLogger(log);
       sdk.trace('a'); sdk.debug('b'); sdk.info('c', { at: 12345678901234567890n }); sdk.warn('d'); sdk.log('ERROR', 'e');`,
      'debug',
    );
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['debug', 'b'],
      ['info', 'c'],
      ['warn', 'd'],
      ['error', 'e'],
    ]);
  });

  it.each([
    ['WARN', 'warn'],
    ['silent', 'silent'],
    ['loud', 'info'],
    ['', 'info'],
    [undefined, 'info'],
  ])('reads FERMATA_LOG_LEVEL=%s as %s', (value, level) => {
    expect(logLevel({ FERMATA_LOG_LEVEL: value })).toBe(level);
  });
});
