import { mkdtempSync, readFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');

/**
 * Turns a module of this project and everything of ours that it imports into JavaScript in a new temporary folder, for
 * tests that start real processes. Nothing is type-checked. The caller removes the folder.
 *
 * @returns the folder, and where the module itself lies in it.
 */
export function transpile(entry: string): { readonly dir: string; readonly entry: string } {
  const dir = mkdtempSync(join(tmpdir(), 'fermata-js-'));
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const seen = new Set<string>();
  const waiting = [resolve(root, entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = readFileSync(file, 'utf8');
    const target = placeOf(dir, file);
    mkdirSync(dirname(target), { recursive: true });
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    });
    writeFileSync(target, outputText);
    for (const { fileName } of ts.preProcessFile(outputText).importedFiles) {
      if (fileName.startsWith('.')) waiting.push(resolve(dirname(file), fileName).replace(/\.js$/, '.ts'));
    }
  }
  return { dir, entry: placeOf(dir, resolve(root, entry)) };
}

function placeOf(dir: string, file: string): string {
  return join(dir, relative(root, file)).replace(/\.ts$/, '.js');
}
