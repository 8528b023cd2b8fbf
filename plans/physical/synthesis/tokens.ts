/** Tokens of JavaScript as far as brackets and names need them: texts, comments and regular expressions are told apart. */

export interface SourceToken {
  readonly text: string;
  /** An identifier or keyword that is no property (`x.name`, `{name: …}`). */
  readonly name: boolean;
}

const space = /\s+/y;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const quoted = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const regex = /\/(?![*/])(?:[^\\/[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;
const word = /[\p{L}\p{N}_$\\]+/uy;
const mark = /=>|\?\.|[\s\S]/y;

/** Words after which a slash begins a regular expression. */
const before = new Set('return typeof case in of delete void throw new else do yield await instanceof'.split(' '));

/** Undefined when a text, template, comment or regular expression does not end. */
export function sourceTokens(source: string): readonly SourceToken[] | undefined {
  const tokens: SourceToken[] = [];
  /** For each open bracket of a template's `${`, how many braces are open inside. */
  const templates: number[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const template = (): boolean => {
    while (at < source.length) {
      const char = source[at];
      if (char === '\\') at += 2;
      else if (char === '`') {
        at += 1;
        return true;
      } else if (char === '$' && source[at + 1] === '{') {
        at += 2;
        templates.push(0);
        tokens.push({ text: '(', name: false });
        return true;
      } else at += 1;
    }
    return false;
  };
  while (at < source.length) {
    if (match(space) !== undefined || match(comment) !== undefined) continue;
    const char = source[at] ?? '';
    if (char === '"' || char === "'") {
      if (match(quoted) === undefined) return undefined;
      tokens.push({ text: 'text', name: false });
      continue;
    }
    if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') {
        templates.pop();
        tokens.push({ text: ')', name: false });
      } else tokens.push({ text: 'text', name: false });
      at += 1;
      if (!template()) return undefined;
      continue;
    }
    if (char === '/' && beginsRegex(tokens.at(-1))) {
      if (match(regex) === undefined) return undefined;
      tokens.push({ text: 'text', name: false });
      continue;
    }
    const name = match(word);
    if (name !== undefined) {
      const property = ['.', '?.'].includes(tokens.at(-1)?.text ?? '') || isKey(source, at, tokens.at(-1));
      tokens.push({ text: name, name: !property });
      continue;
    }
    const text = match(mark) ?? '';
    const inner = templates.at(-1);
    if (inner !== undefined && text === '{') templates[templates.length - 1] = inner + 1;
    if (inner !== undefined && text === '}') templates[templates.length - 1] = inner - 1;
    tokens.push({ text, name: false });
  }
  return tokens;
}

function beginsRegex(last: SourceToken | undefined): boolean {
  if (last === undefined) return true;
  if (/^[\p{L}\p{N}_$\\]+$/u.test(last.text)) return last.name && before.has(last.text);
  return !/^[)\]}]$/.test(last.text);
}

/** `{name: …}` and `, name: …`. */
function isKey(source: string, end: number, last: SourceToken | undefined): boolean {
  return (last?.text === '{' || last?.text === ',') && /^\s*:/.test(source.slice(end, end + 20));
}
