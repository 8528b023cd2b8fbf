import { FermataError } from '../../plans/protocol/errors.js';
import type { Estimate } from '../../plans/protocol/run.js';
import type { Fermata, Run, RunOptions } from '../api.js';
import type { Answer, AnswerType, Explained } from './answer-types.js';
import {
  type Block,
  type JoinKind,
  joined,
  nested,
  orderColumn,
  sqlOf,
  valueSql,
  withColumn,
  withColumns,
  withCondition,
  withGroups,
  withLimit,
  withOrder,
  throughFunction,
  withTop,
} from './block.js';
import {
  type CallInput,
  type CallOptions,
  callSql,
  type ClassifyOptions,
  type DedupOptions,
  type ExplainOptions,
  inputSql,
  promptSql,
  type PromptOptions,
  type ScoreOptions,
  wholeNumber,
} from './calls.js';
import { column, literalSql, PromptText, SqlFragment, type SqlLiteral } from './sql-text.js';

/** Options of a run of a relation, which brings its tables itself. */
export type RelationRunOptions = Omit<RunOptions, 'tables'>;

type Rows = Readonly<Record<string, unknown>>;
type With<Row, Name extends string, Value> = Row & { readonly [N in Name]: Value | null };
type Runner = Pick<Fermata, 'sql' | 'estimate'>;

export interface JoinOptions extends CallOptions {
  /** Default `inner`; `semi` and `anti` keep rows of the left that have a match, or none. */
  readonly kind?: JoinKind;
  /** Pairs of columns, left and right, that must be equal: only such rows are asked about. */
  readonly on?: readonly (readonly [left: string, right: string])[];
}

export interface AggregateOptions extends CallOptions {
  /** Columns of the groups; none: one row over all. */
  readonly by?: readonly string[];
}

/**
 * Rows of a file, and what is asked about them. Every method gives a new relation and asks nothing; `rows`, `run` and
 * `estimate` do. A prompt is text with columns in braces, `'Is {review} good?'`; text of unknown content goes in by
 * {@link prompt}. Types of rows are what the caller says of the file, and what the calls add.
 *
 * @example
 * const reviews = fermata.table<{ id: bigint; review: string }>('reviews.csv');
 * const rows = await reviews
 *   .semFilter('Is {review} about the ending?')
 *   .semClassify('topic', 'review', ['plot', 'acting'])
 *   .select('id', 'topic')
 *   .rows();
 */
export class Relation<Row extends object = Rows> {
  readonly #runner: Runner;
  readonly #block: Block;

  constructor(runner: Runner, block: Block) {
    this.#runner = runner;
    this.#block = block;
  }

  /** The query that this relation is. */
  toSql(): string {
    return sqlOf(this.#block);
  }

  /** Starts the query and returns at once. */
  run(options: RelationRunOptions = {}): Promise<Run> {
    return this.#runner.sql(this.toSql(), { ...options, tables: this.#block.tables });
  }

  /** Runs the query and waits for its rows. Throws as {@link Run.result} does. */
  async rows(options: RelationRunOptions = {}): Promise<readonly Row[]> {
    const run = await this.run(options);
    return (await run.rows()) as readonly Row[];
  }

  /** What the query would cost. Makes no model call. */
  estimate(options: RelationRunOptions = {}): Promise<Estimate> {
    return this.#runner.estimate(this.toSql(), { ...options, tables: this.#block.tables });
  }

  /** The relation under another name, for prompts that read two: `reviews.as('other')`. */
  as(name: string): Relation<Row> {
    return this.#with(nested(this.#block, name));
  }

  /**
   * Rows for which a condition holds: an expression, or the values that columns must have, `null` and lists of values among them.
   *
   * @example
   * reviews.where({ city: 'Oslo', stars: [1, 2] }).where(sql`length(review) > ${100}`);
   */
  where(condition: SqlFragment | { readonly [Name in keyof Row]?: SqlLiteral }): Relation<Row> {
    return this.#with(withCondition(this.#block, (block) => conditionSql(block, condition)));
  }

  /**
   * @example
   * reviews.semClassify('topic', 'review', ['plot', 'sound']).select('id', 'topic');
   */
  select<Name extends keyof Row & string>(...columns: readonly Name[]): Relation<Pick<Row, Name>> {
    return this.#with(withColumns(this.#block, columns));
  }

  /** Sorts by a column or expression; a further call sorts what the ones before leave equal. */
  orderBy(key: (keyof Row & string) | SqlFragment, direction: 'asc' | 'desc' = 'asc'): Relation<Row> {
    const suffix = direction === 'desc' ? ' DESC' : '';
    return this.#with(
      withOrder(
        this.#block,
        (block) => (key instanceof SqlFragment ? `(${key.text})` : orderColumn(block, key)) + suffix,
      ),
    );
  }

  limit(rows: number): Relation<Row> {
    return this.#with(withLimit(this.#block, wholeNumber(rows, 'limit')));
  }

  /**
   * A column by any expression, semantic functions among them.
   *
   * @example
   * reviews.compute('mood', sql`AI_SENTIMENT(${column('review')})`);
   */
  compute<Value = unknown, Name extends string = string>(
    name: Name,
    expression: SqlFragment,
  ): Relation<With<Row, Name, Value>> {
    return this.#column(name, () => expression.text);
  }

  /**
   * Rows for which the prompt holds.
   *
   * @example
   * reviews.semFilter('Is {review} about the ending?');
   */
  semFilter(prompt: string | PromptText, options: PromptOptions = {}): Relation<Row> {
    return this.#with(withCondition(this.#block, () => callSql('AI_FILTER', [promptSql(prompt)], options)));
  }

  /**
   * An answer to the prompt for each row, as text or as a type.
   *
   * @example
   * reviews.semMap('dish', 'Which dish is {review} about?').semMap('stars', 'How many stars are in {review}?', 'integer');
   */
  semMap<
    Name extends string,
    const Type extends AnswerType = 'string',
    const Options extends ExplainOptions = PromptOptions,
  >(
    name: Name,
    prompt: string | PromptText,
    type?: Type,
    options?: Options,
  ): Relation<With<Row, Name, Explained<Answer<Type>, Options>>> {
    return this.#column(name, () => callSql('AI_COMPLETE', [promptSql(prompt)], { type, ...options }));
  }

  /**
   * Fields out of a column or prompt, as a struct.
   *
   * @example
   * reviews.semExtract('said', 'review', { dish: 'Which dish is it about?', stars: 'integer' });
   */
  semExtract<
    Name extends string,
    const Fields extends { readonly [field: string]: AnswerType },
    const Options extends ExplainOptions = PromptOptions,
  >(
    name: Name,
    input: CallInput,
    fields: Fields,
    options?: Options,
  ): Relation<With<Row, Name, Explained<Answer<Fields>, Options>>> {
    return this.#column(name, (block) =>
      callSql('AI_EXTRACT', [inputSql(input, (of) => valueSql(block, of)), literalSql(fields)], options),
    );
  }

  /**
   * One of the labels for each row, or with `multi` a list of them.
   *
   * @example
   * reviews.semClassify('topic', 'review', ['plot', { label: 'sound', description: 'music and noise' }]);
   */
  semClassify<
    Name extends string,
    const Label extends string,
    const Options extends ClassifyOptions = ClassifyOptions & { readonly multi?: false; readonly explain?: false },
  >(
    name: Name,
    input: CallInput,
    labels: readonly (Label | { readonly label: Label; readonly description?: string })[],
    options?: Options,
  ): Relation<
    With<Row, Name, Explained<Options extends { readonly multi: true } ? readonly Label[] : Label, Options>>
  > {
    return this.#column(name, (block) =>
      callSql('AI_CLASSIFY', [inputSql(input, (of) => valueSql(block, of)), literalSql(labels as SqlLiteral)], options),
    );
  }

  /**
   * A number for each row, on the scale of the options or the one that the prompt states.
   *
   * @example
   * reviews.semScore('mood', 'How happy, from 1 to 5? {review}').orderBy('mood', 'desc');
   */
  semScore<Name extends string, const Options extends ScoreOptions = PromptOptions>(
    name: Name,
    prompt: string | PromptText,
    options?: Options,
  ): Relation<With<Row, Name, Explained<number, Options>>> {
    return this.#column(name, () => callSql('AI_SCORE', [promptSql(prompt)], options));
  }

  /**
   * The `k` rows for which the prompt scores highest, best first.
   *
   * @example
   * reviews.semTopK(10, 'How funny is {review}, from 0 to 10?');
   */
  semTopK(k: number, prompt: string | PromptText, options: Omit<ScoreOptions, 'explain'> = {}): Relation<Row> {
    const score = callSql('AI_SCORE', [promptSql(prompt)], options);
    return this.#with(withTop(this.#block, wholeNumber(k, 'k'), () => `${score} DESC`));
  }

  /**
   * The `k` rows whose column is nearest in meaning to the query, best first, with their `score`.
   *
   * @example
   * fermata.table('reviews.csv').semSearch('review', 'a plot that makes no sense', 20);
   */
  semSearch(
    of: keyof Row & string,
    query: string,
    k: number,
    options: CallOptions = {},
  ): Relation<With<Row, 'score', number>> {
    const similarity = (block: Block): string =>
      callSql('AI_SIMILARITY', [valueSql(block, of), literalSql(query)], options);
    const there = withCondition(this.#block, (block) => `${valueSql(block, of)} IS NOT NULL`);
    const scored = withColumn(there, 'score', { sqlIn: similarity });
    return this.#with(withTop(scored, wholeNumber(k, 'k'), (block) => `${valueSql(block, 'score')} DESC`));
  }

  /**
   * Groups by meaning: a label for each row, out of `k` labels that are found in the rows, or found as an instruction says.
   *
   * @example
   * complaints.semGroupBy('kind', 'text', 8).semAgg('gist', 'text', 'What do they have in common?', { by: ['kind'] });
   */
  semGroupBy<Name extends string>(
    name: Name,
    input: CallInput,
    groups: number | string,
    options: CallOptions = {},
  ): Relation<With<Row, Name, string>> {
    const wanted = typeof groups === 'number' ? wholeNumber(groups, 'the number of groups', 1) : groups;
    const sqlIn = (block: Block): string =>
      callSql('AI_GROUP', [inputSql(input, (of) => valueSql(block, of)), literalSql(wanted)], options);
    return this.#with(withColumn(this.#block, name, { overRows: true, sqlIn }));
  }

  /**
   * One row for each entity, the first, or with `keep: 'all'` every row; `entity` is the number of what a row is about.
   *
   * @example
   * customers.semDedup(['name', 'street'], 'the same person', { within: ['city'] });
   */
  semDedup<const Name extends keyof Row & string>(
    columns: Name | readonly Name[],
    instruction: string,
    options: DedupOptions = {},
  ): Relation<With<Row, 'entity', bigint>> {
    const compared = typeof columns === 'string' ? [columns] : columns;
    const call = (relation: string): string =>
      callSql('AI_DEDUP', [relation, literalSql(compared), literalSql(instruction)], options);
    return this.#with(throughFunction(this.#block, call));
  }

  /**
   * One answer over all rows of a group, of any size; the columns left are those of the groups, and the answer.
   *
   * @example
   * reviews.semAgg('gist', 'review', 'What do most of them say?', { by: ['movie'] });
   */
  semAgg<Name extends string, const By extends keyof Row & string = never>(
    name: Name,
    input: CallInput,
    instruction: string,
    { by = [], ...options }: AggregateOptions & { readonly by?: readonly By[] } = {},
  ): Relation<With<Pick<Row, By>, Name, string>> {
    const sqlIn = (block: Block): string =>
      callSql('AI_AGG', [inputSql(input, (of) => valueSql(block, of)), literalSql(instruction)], options);
    return this.#with(withGroups(this.#block, by, { name, sqlIn }));
  }

  /**
   * Pairs of rows for which the prompt holds; each side is named in it by its relation.
   *
   * @example
   * reviews.semJoin(movies, '{reviews.text} is a review of {movies.title}', { on: [['year', 'year']] });
   */
  semJoin<Other extends object>(
    other: Relation<Other>,
    prompt: string | PromptText,
    { kind = 'inner', on = [], ...options }: JoinOptions = {},
  ): Relation<Row & Other> {
    const call = callSql('AI_FILTER', [promptSql(prompt)], options);
    const conditionOf = (left: string, right: string): string =>
      [...on.map(([a, b]) => `${column(left, a).text} = ${column(right, b).text}`), call].join(' AND ');
    return this.#with(joined(this.#block, other.#block, kind, conditionOf));
  }

  /**
   * Pairs of rows whose columns are alike in meaning: their similarity, from -1 to 1, is at least `atLeast`.
   *
   * @example
   * reviews.semSimJoin(movies, { left: 'text', right: 'plot', atLeast: 0.7 });
   */
  semSimJoin<Other extends object>(
    other: Relation<Other>,
    {
      left,
      right,
      atLeast,
      ...options
    }: CallOptions & { readonly left: string; readonly right: string; readonly atLeast: number },
  ): Relation<Row & Other> {
    if (!(Math.abs(atLeast) <= 1)) {
      throw new FermataError('BadArgument', `a similarity lies between -1 and 1, not at ${atLeast}`);
    }
    const conditionOf = (a: string, b: string): string =>
      `${callSql('AI_SIMILARITY', [column(a, left).text, column(b, right).text], options)} >= ${literalSql(atLeast)}`;
    return this.#with(joined(this.#block, other.#block, 'inner', conditionOf));
  }

  #column<Next extends object>(name: string, sqlIn: (block: Block) => string): Relation<Next> {
    return this.#with(withColumn(this.#block, name, { sqlIn }));
  }

  #with<Next extends object>(block: Block): Relation<Next> {
    return new Relation<Next>(this.#runner, block);
  }
}

function conditionSql(block: Block, condition: SqlFragment | object): string {
  if (condition instanceof SqlFragment) return `(${condition.text})`;
  const parts = Object.entries(condition as Readonly<Record<string, SqlLiteral | undefined>>).map(([name, value]) => {
    const left = valueSql(block, name);
    if (value === null) return `${left} IS NULL`;
    if (!Array.isArray(value)) return `${left} = ${literalSql(value)}`;
    const there = (value as readonly SqlLiteral[]).filter((item) => item !== null).map(literalSql);
    const among = there.length === 0 ? 'FALSE' : `${left} IN (${there.join(', ')})`;
    return there.length === value.length ? among : `(${among} OR ${left} IS NULL)`;
  });
  if (parts.length === 0) throw new FermataError('BadArgument', 'the condition is empty');
  return parts.join(' AND ');
}
