/** Reads a small RFC 4180 file whole: header names to texts. Quoted and bare fields, CRLF or LF, newlines in quotes. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [header, ...body] = records(text);
  return body.map((fields) => Object.fromEntries((header ?? []).map((name, i) => [name, fields[i] ?? ''])));
}

/** One field with what ends it; an empty match at the end of the text ends the scan. */
const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/gy;

function records(text: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  let row: string[] = [];
  const source = text.replace(/^\uFEFF/, '');
  field.lastIndex = 0;
  while (field.lastIndex < source.length) {
    const at = field.lastIndex;
    const match = field.exec(source);
    if (match === null) throw new SyntaxError(`not CSV at offset ${at}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') {
      if (field.lastIndex === source.length) row.push('');
      else continue;
    }
    found.push(row);
    row = [];
  }
  return found;
}
