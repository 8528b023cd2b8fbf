import { FermataError } from '../protocol/errors.js';

/** A prompt template cut up: literal text, and the numbers of the inputs it names. */
export type TemplatePiece = { readonly text: string } | { readonly input: number };

const tokens = /\{\{|\}\}|\{(\d+)\}|[{}]/g;

/**
 * Cuts a template at its `{0}`, `{1}` …; `{{` and `}}` are braces.
 *
 * @throws `FermataError` `BadArgument` for a lone brace.
 */
export function parseTemplate(template: string): readonly TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let text = '';
  let end = 0;
  for (const match of template.matchAll(tokens)) {
    text += template.slice(end, match.index);
    end = match.index + match[0].length;
    if (match[0] === '{{' || match[0] === '}}') {
      text += match[0].charAt(0);
    } else if (match[1] === undefined) {
      throw new FermataError('BadArgument', `A lone "${match[0]}" in the prompt ${JSON.stringify(template)}.`, {
        hint: 'Write {{ and }} for braces; placeholders are {0}, {1} …',
      });
    } else {
      if (text !== '') pieces.push({ text });
      text = '';
      pieces.push({ input: Number(match[1]) });
    }
  }
  text += template.slice(end);
  if (text !== '') pieces.push({ text });
  return pieces;
}
