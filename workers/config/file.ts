/** Finds, reads and checks `fermata.yaml`. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isMap, isScalar, LineCounter, type Document, parseDocument } from 'yaml';
import type * as z from 'zod';
import { FermataError } from '../../plans/protocol/errors.js';
import { fileSchema, type FileSettings } from './file.schema.js';
import { suggestion } from './nearest.js';
import { keysAt } from './schema-keys.js';

export const configFileName = 'fermata.yaml';

export interface ConfigFile {
  readonly path: string;
  readonly settings: FileSettings;
  /** Line of the value at a path, from 1. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/** The nearest `fermata.yaml` in `cwd` or above it. */
export async function findConfigFile(cwd: string): Promise<string | undefined> {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const candidate = join(dir, configFileName);
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isFile() === true) return candidate;
    if (dirname(dir) === dir) return undefined;
  }
}

/** Reads and validates a configuration file. Throws `FermataError` `BadConfig` naming the key path and the line. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new FermataError('BadConfig', `${path} cannot be read: ${(error as Error).message}`, {
      where: { file: path },
    });
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const syntax = document.errors[0];
  if (syntax !== undefined) throw badFile(path, lines.linePos(syntax.pos[0]).line, syntax.message);
  const value = (document.toJS() as unknown) ?? {};
  const lineOf = (at: readonly PropertyKey[], key?: string): number | undefined => lineAt(document, lines, at, key);
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return { path, settings: parsed.data, lineOf };
  const issue = deepest(parsed.error.issues);
  const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  throw badFile(path, lineOf(issue.path, unknownKey), describe(issue, value));
}

type Issue = z.core.$ZodIssue;

/** In a union the alternative that got furthest tells what is wrong. */
function deepest(issues: readonly Issue[]): Issue {
  const first = issues[0] as Issue;
  if (first.code !== 'invalid_union' || first.errors.length === 0) return first;
  const inner = first.errors
    .filter((branch) => branch.length > 0)
    .sort((a, b) => a.length - b.length || (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0))[0];
  if (inner === undefined) return first;
  const found = deepest(inner);
  return { ...found, path: [...first.path, ...found.path] };
}

function describe(issue: Issue, value: unknown): string {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const full = at === '' ? key : `${at}.${key}`;
    return `unknown key ${full}${suggestion(key, keysAt(fileSchema, issue.path, value))}`;
  }
  return at === '' ? issue.message : `${at}: ${issue.message}`;
}

function badFile(path: string, line: number | undefined, message: string): FermataError {
  const place = line === undefined ? path : `${path}:${line}`;
  return new FermataError('BadConfig', `${place}: ${message}`, {
    where: { file: path, ...(line === undefined ? {} : { line }) },
  });
}

/** Line of a value, or of a key in the map at `path`; of the nearest ancestor when there is no such value. */
function lineAt(document: Document, lines: LineCounter, path: readonly PropertyKey[], key?: string) {
  const line = (node: unknown): number | undefined => {
    const offset = (node as { range?: readonly number[] | null } | undefined)?.range?.[0];
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
  const keyLine = (map: unknown, name: PropertyKey): number | undefined => {
    if (!isMap(map)) return undefined;
    return line(map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(name))?.key);
  };
  for (let depth = path.length; depth >= 0; depth--) {
    const node: unknown = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    const last = path[depth - 1];
    const parent: unknown = depth <= 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const wanted = depth === path.length && key !== undefined ? keyLine(node, key) : undefined;
    const found = wanted ?? (last === undefined ? undefined : keyLine(parent, last)) ?? line(node);
    if (found !== undefined) return found;
  }
  return undefined;
}
