/** Words of JSON: what may stand between brackets, commas and colons. */
const word =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /[ \t\r\n]*/y;

type Expect = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

/**
 * Offset at which a text stops being JSON; undefined when it is. The engine's own message names no place in newer versions.
 * Keeps a stack of open brackets instead of calling itself: depth is the user's.
 */
export function jsonFaultOffset(text: string): number | undefined {
  const open: ('[' | '{')[] = [];
  let expect: Expect = 'value';
  let at = skip(text, text.startsWith('\uFEFF') ? 1 : 0);
  while (at < text.length) {
    const char = text[at];
    if (expect === 'colon') {
      if (char !== ':') return at;
      expect = 'value';
      at += 1;
    } else if (expect === 'comma or end') {
      const inside = open.at(-1);
      if (inside === undefined) return at;
      if (char === ',') expect = inside === '[' ? 'value' : 'key';
      else if (char === (inside === '[' ? ']' : '}')) open.pop();
      else return at;
      at += 1;
    } else if ((expect === 'value or ]' && char === ']') || (expect === 'key or }' && char === '}')) {
      open.pop();
      expect = 'comma or end';
      at += 1;
    } else if (expect.startsWith('value') && (char === '[' || char === '{')) {
      open.push(char);
      expect = char === '[' ? 'value or ]' : 'key or }';
      at += 1;
    } else {
      word.lastIndex = at;
      const isKey = expect.startsWith('key');
      if ((isKey && char !== '"') || !word.test(text)) return at;
      at = word.lastIndex;
      expect = isKey ? 'colon' : 'comma or end';
    }
    at = skip(text, at);
  }
  return open.length === 0 && expect === 'comma or end' ? undefined : text.trimEnd().length;
}

function skip(text: string, at: number): number {
  space.lastIndex = at;
  space.test(text);
  return space.lastIndex;
}
