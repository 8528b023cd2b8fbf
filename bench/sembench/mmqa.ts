/**
 * SemBench MMQA, worded as in CADENZA, Appendix J.3: queries over texts and tables whose gold says something of every row that is
 * asked about, so that the pool can answer.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { csv, text } from '../pool/truth/sets/data.js';
import { mmqaTruth } from '../pool/truth/sets/mmqa.js';
import { atMost, type PeerOperator, type Scenario, type SemQuery } from './scenario.js';

const folder = 'sembench-mmqa';
const places = [
  ['Q6a', 'q6a', 'Frankfurt', 'Airlines with destinations in Frankfurt.', 'airline serves Frankfurt'],
  ['Q6b', 'q6b', 'Germany', 'Airlines with destinations in Germany.', 'airline serves any destination in Germany'],
  ['Q6c', 'q6c', 'Europe', 'Airlines with destinations in Europe.', 'airline serves any destination in Europe'],
] as const;

export const mmqa: Scenario = {
  name: 'mmqa',
  folder,
  files: [
    ...['lizzy_caplan_text_data.csv', 'tampa_international_airport.csv'],
    ...['ground_truth/q3a.json', 'ground_truth/q4.json'],
    ...places.map(([, file]) => `ground_truth/${file}.json`),
  ],
  rows: 24,
  load(data, rows) {
    const gold = (query: string): unknown =>
      (JSON.parse(readFileSync(join(data, folder, 'ground_truth', `${query}.json`), 'utf8')) as Gold).ground_truth;
    const genres = gold('q4') as Readonly<Record<string, readonly string[]>>;
    const named = new Set(Object.values(genres).flat());
    const films = csv(data, folder, 'lizzy_caplan_text_data.csv')
      .map((row) => ({ ...row, title: text(row, 'title').replace(/ \((?:\d{4} )?film\)$/, '') }))
      .filter(({ title }) => named.has(title));
    const airlines = csv(data, folder, 'tampa_international_airport.csv').filter((row) => text(row, 'Airport') === '');
    return {
      tables: {
        movies: { columns: ['title', 'text'], rows: atMost(rows, films) },
        airlines: { columns: ['Airlines', 'Destinations'], rows: airlines },
      },
      truth: mmqaTruth(data),
      queries: [
        comedies(gold('q3a') as readonly string[]),
        byGenre(genres),
        ...places.map(([id, file, , question, condition]) =>
          flights(id, question, condition, gold(file) as readonly string[]),
        ),
      ],
      skipped: [
        {
          id: 'Q1',
          question: 'Director of the movie that has Ben Piazza as Bob Whitewood.',
          why: 'the pool knows one director, and a wrong match asks for others',
        },
        {
          id: 'Q2a',
          question: 'Logos of the racetracks of A. P. Warrior.',
          why: 'its pictures are not part of the data',
        },
        { id: 'Q2b', question: 'The same with the colours.', why: 'its pictures are not part of the data' },
        {
          id: 'Q3f',
          question: 'Movies that are romantic comedies.',
          why: 'the pool has no truth for two genres at once',
        },
        { id: 'Q5', question: 'Actor common to a fixed list of 16 movies.', why: 'the pool has no truth for casts' },
        {
          id: 'Q7',
          question: 'For each airline with European destinations, its logo.',
          why: 'pictures are not set up here',
        },
      ],
    };
  },
};

interface Gold {
  readonly ground_truth: unknown;
}

function comedies(gold: readonly string[]): SemQuery {
  const condition = 'movie is a comedy';
  return {
    id: 'Q3a',
    question: 'Movies that are comedies.',
    sql: `SELECT title FROM movies WHERE AI_FILTER('${condition}: {text}')`,
    gold: { metric: 'list f1', items: gold },
    operator: { op: 'filter', table: 'movies', column: 'text', condition, finish: column('title') },
  };
}

function byGenre(gold: Readonly<Record<string, readonly string[]>>): SemQuery {
  const labels = Object.keys(gold)
    .map((label) => `'${label}'`)
    .join(', ');
  const items = Object.entries(gold).flatMap(([genre, titles]) => titles.map((title) => [title, genre]));
  return {
    id: 'Q4',
    question: 'Categorize each movie by genre (multi-label).',
    sql: `SELECT title, unnest(AI_CLASSIFY(text, [${labels}], {multi: true, task_description: 'genres of the movie'})) AS genre FROM movies`,
    gold: { metric: 'f1', bothEmpty: 1, items },
  };
}

function flights(id: string, question: string, condition: string, gold: readonly string[]): SemQuery {
  return {
    ...{ id, question },
    sql: `SELECT Airlines FROM airlines WHERE AI_FILTER('${condition}: {Destinations}')`,
    gold: { metric: 'list f1', items: gold },
    operator: { op: 'filter', table: 'airlines', column: 'Destinations', condition, finish: column('Airlines') },
  };
}

function column(name: string): PeerOperator['finish'] {
  return (found, rows) => found.map(([row]) => ({ [name]: rows[row]?.[name] }));
}
