import { fault } from './fault.js';
import { stringLiteral } from './literals.js';
import { isClass, type SqlNode } from './tree.js';

/** A piece of an intent: text as it stands, or a placeholder. */
export type PromptPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** `name` is what stands between the braces, trimmed; `index` is where its brace opens. */
  | { readonly kind: 'placeholder'; readonly name: string; readonly index: number };

/**
 * Splits an intent at its `{placeholders}`; `{{` and `}}` stand for braces. Throws `BadArgument` for a brace without its
 * partner; `offsetOf` turns an index of the intent into a position in the SQL text.
 */
export function splitPlaceholders(intent: string, offsetOf: (index: number) => number | undefined): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let text = '';
  let at = 0;
  while (at < intent.length) {
    const pair = intent.slice(at, at + 2);
    const char = intent.charAt(at);
    if (pair === '{{' || pair === '}}') {
      text += char;
      at += 2;
    } else if (char === '{') {
      const close = closingBrace(intent, at);
      if (close < 0) throw unmatched('{', offsetOf(at));
      if (text !== '') pieces.push({ kind: 'text', text });
      text = '';
      pieces.push({ kind: 'placeholder', name: intent.slice(at + 1, close).trim(), index: at });
      at = close + 1;
    } else if (char === '}') {
      throw unmatched('}', offsetOf(at));
    } else {
      text += char;
      at++;
    }
  }
  if (text !== '') pieces.push({ kind: 'text', text });
  return pieces;
}

/** Index of the brace that closes a placeholder; braces inside a double-quoted name do not count. */
function closingBrace(intent: string, open: number): number {
  let quoted = false;
  for (let i = open + 1; i < intent.length; i++) {
    const char = intent.charAt(i);
    if (char === '"') quoted = !quoted;
    else if (!quoted && char === '{') return -1;
    else if (!quoted && char === '}') return i;
  }
  return -1;
}

function unmatched(brace: string, position: number | undefined): Error {
  const hint = `Write ${brace}${brace} for a brace that is part of the text.`;
  return fault('BadArgument', `"${brace}" without its partner in a prompt`, position, hint);
}

/** Doubles the braces of plain text, so that a template shows it as it is. */
export function escapeBraces(text: string): string {
  return text.replace(/[{}]/g, (brace) => brace + brace);
}

/** The dotted parts of a placeholder's name; a part may be double-quoted: `r."my column"`. */
export function nameParts(name: string): string[] {
  const parts = name.match(/"(?:[^"]|"")*"|[^.]+/g) ?? [];
  return parts.map((part) => {
    const trimmed = part.trim();
    return trimmed.startsWith('"') && trimmed.length > 1 ? trimmed.slice(1, -1).replaceAll('""', '"') : trimmed;
  });
}

/** What a text literal has between braces, whether or not it is a prompt. */
export function placeholderNames(node: SqlNode): readonly string[] {
  const literal = isClass(node, 'CONSTANT') ? (stringLiteral(node) ?? '') : '';
  return [...literal.matchAll(/\{([^{}]*)\}/g)].map((match) => (match[1] ?? '').trim());
}
