// Draws the demo's sample. Usage: node demo/sample.mjs <complaints.csv of the SemBench Cars subset>
// Stratified on the owner's crash and fire marks, uniform within each stratum, seeded; nothing about any model enters the draw.
import { readFileSync, writeFileSync } from 'node:fs';

const seed = 20;
const maxCharacters = 1200;
const strata = [
  { size: 30, holds: (row) => row.crash === 'True' },
  { size: 6, holds: (row) => row.crash !== 'True' && row.fire === 'True' },
  { size: 90, holds: (row) => row.crash !== 'True' && row.fire !== 'True' },
];

/** RFC 4180 reader: fields may be quoted, quotes are doubled, quoted fields may hold newlines. */
function readCsv(text) {
  const rows = [];
  let row = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') field += text[++i];
      else if (c === '"') quoted = false;
      else field += c;
    } else if (c === '"') quoted = true;
    else if (c === ',' || c === '\n') {
      row.push(field.endsWith('\r') && c === '\n' ? field.slice(0, -1) : field);
      field = '';
      if (c === '\n') {
        rows.push(row);
        row = [];
      }
    } else field += c;
  }
  if (field !== '' || row.length > 0) rows.push([...row, field]);
  const [header, ...body] = rows;
  return body.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i]])));
}

/** mulberry32: uniform in [0,1). */
function generator(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = generator(seed);

function shuffle(items) {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}

const quote = (value) => `"${value.replaceAll('"', '""')}"`;

const all = readCsv(readFileSync(process.argv[2], 'utf8')).filter((row) => row.summary.length <= maxCharacters);
const drawn = shuffle(strata.flatMap(({ size, holds }) => shuffle(all.filter(holds)).slice(0, size)));
const folder = new URL('.', import.meta.url);
writeFileSync(
  new URL('complaints.csv', folder),
  `id,summary\n${drawn.map((row) => `${row.complaint_id},${quote(row.summary)}\n`).join('')}`,
);
writeFileSync(
  new URL('truth.csv', folder),
  `id,crash,fire,component_class\n${drawn
    .map(
      (row) =>
        `${row.complaint_id},${row.crash.toLowerCase()},${row.fire.toLowerCase()},${quote(row.component_class)}\n`,
    )
    .join('')}`,
);
