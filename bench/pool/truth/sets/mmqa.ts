import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TruthData, TruthTask, TruthTuple } from '../types.js';
import { csv, fileHash, text } from './data.js';

function gold(folder: string, query: string): unknown {
  const file = readFileSync(join(folder, 'sembench-mmqa', 'ground_truth', `${query}.json`), 'utf8');
  return (JSON.parse(file) as { readonly ground_truth: unknown }).ground_truth;
}

const tasks: readonly TruthTask[] = [
  {
    key: 'mmqa.genres',
    collections: ['mmqa.films'],
    intent: [
      [
        'genre',
        'categor',
        'kind of film',
        'kind of movie',
        'comedy',
        'comedies',
        'romance',
        'horror',
        'sci-fi',
        'science fiction',
      ],
    ],
    truth: {
      rule: 'field',
      field: 'genres',
      labels: {
        'science fiction': ['sci-fi', 'scifi'],
        comedy: ['comedies'],
        biography: ['biographical', 'biopic'],
        romance: ['romantic'],
      },
    },
  },
  {
    key: 'mmqa.bob-whitewood',
    collections: ['mmqa.texts'],
    intent: [['Bob Whitewood']],
    truth: { rule: 'test', field: 'bobWhitewood', in: [true] },
  },
  {
    key: 'mmqa.director',
    collections: ['mmqa.texts'],
    intent: [['director', 'directed']],
    truth: { rule: 'field', field: 'director' },
  },
  ...(['Frankfurt', 'Germany', 'Europe'] as const).map(
    (place): TruthTask => ({
      key: `mmqa.flies-to-${place.toLowerCase()}`,
      collections: ['mmqa.airlines'],
      intent: [[place]],
      truth: { rule: 'test', field: 'fliesTo', in: [place] },
    }),
  ),
  {
    key: 'mmqa.logo',
    collections: ['mmqa.airlines', 'mmqa.images'],
    intent: [['logo']],
    truth: { rule: 'pair', left: 'airline', right: 'logoOf', relation: 'equal' },
  },
];

/**
 * SemBench MMQA, as far as the published gold answers say something of a row: genres of the films that are named, the film
 * of Bob Whitewood and its director, where the airlines of Tampa fly, and whose logo a picture shows. What gold says
 * nothing of is not registered. Nothing is known of evidence.
 */
export function mmqaTruth(folder: string): TruthData {
  return { tuples: [...films(folder), ...texts(folder), ...airlines(folder), ...images(folder)], tasks };
}

function films(folder: string): readonly TruthTuple[] {
  const byGenre = Object.entries(gold(folder, 'q4') as Readonly<Record<string, readonly string[]>>);
  const named = new Set(byGenre.flatMap(([, titles]) => titles));
  const plain = (title: string): string => title.replace(/ \((?:\d{4} )?film\)$/, '');
  return csv(folder, 'sembench-mmqa', 'lizzy_caplan_text_data.csv')
    .filter((row) => named.has(plain(text(row, 'title'))))
    .map((row): TruthTuple => {
      const title = plain(text(row, 'title'));
      const genres = byGenre.flatMap(([genre, titles]) => (titles.includes(title) ? [genre] : []));
      return {
        id: text(row, 'row_id'),
        collection: 'mmqa.films',
        values: [text(row, 'text'), text(row, 'title'), title],
        fields: { genres, title },
      };
    });
}

function texts(folder: string): readonly TruthTuple[] {
  const [director] = gold(folder, 'q1') as readonly string[];
  return csv(folder, 'sembench-mmqa', 'ben_piazza_text_data.csv').map((row): TruthTuple => {
    const film = text(row, 'title') === 'The Bad News Bears';
    return {
      id: text(row, 'row_id'),
      collection: 'mmqa.texts',
      values: [text(row, 'text')],
      fields: { bobWhitewood: film, ...(film && director !== undefined ? { director } : {}) },
    };
  });
}

function airlines(folder: string): readonly TruthTuple[] {
  const places: Readonly<Record<string, string>> = { Frankfurt: 'q6a', Germany: 'q6b', Europe: 'q6c' };
  const answers = Object.entries(places).map(
    ([place, query]) => [place, gold(folder, query) as readonly string[]] as const,
  );
  return (
    csv(folder, 'sembench-mmqa', 'tampa_international_airport.csv')
      // gold holds for the rows of Tampa alone, which name no airport
      .filter((row) => text(row, 'Airport') === '')
      .map((row): TruthTuple => {
        const airline = text(row, 'Airlines');
        const fliesTo = answers.flatMap(([place, names]) => (names.includes(airline) ? [place] : []));
        return {
          id: text(row, 'row_id'),
          collection: 'mmqa.airlines',
          values: [airline, text(row, 'Destinations')],
          fields: { airline, fliesTo },
        };
      })
  );
}

function images(folder: string): readonly TruthTuple[] {
  const logos = gold(folder, 'q7') as readonly (readonly [string, string])[];
  return csv(folder, 'sembench-mmqa', 'images.csv').flatMap((row): readonly TruthTuple[] => {
    const name = text(row, 'image_filename');
    const hash = fileHash(folder, 'sembench-mmqa', 'images', name);
    if (hash === undefined) return [];
    const owner = logos.find(([, file]) => file === name)?.[0] ?? null;
    return [
      { id: text(row, 'row_id'), collection: 'mmqa.images', values: [name], media: [hash], fields: { logoOf: owner } },
    ];
  });
}
