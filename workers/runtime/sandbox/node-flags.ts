/**
 * The flag that takes a process's rights away: `--permission` where it is no experiment any more (Node 22.13 and 23.5 on).
 *
 * @example permissionFlag('20.20.2') // '--experimental-permission'
 */
export function permissionFlag(nodeVersion: string): string {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const stable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13);
  return stable ? '--permission' : '--experimental-permission';
}

/** Flags of a child: it may read `readable`, and write, start, load and inspect nothing. `heapMb` bounds V8's own heap. */
export function childFlags(nodeVersion: string, readable: readonly string[], heapMb: number): readonly string[] {
  return [
    permissionFlag(nodeVersion),
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapMb}`,
    '--no-warnings',
  ];
}
