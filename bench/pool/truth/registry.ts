import type { JsonValue } from '../../../plans/protocol/json.js';
import { TextIndex } from './text-index.js';
import type { TruthData, TruthTask, TruthTuple } from './types.js';
import type { Words } from './words.js';

/** A row as it is kept: without its texts. */
export interface KnownTuple {
  readonly id: string;
  readonly collection: string;
  /** Place among the rows of its collection. */
  readonly place: number;
  readonly fields: TruthTuple['fields'];
  readonly evidence: TruthTuple['evidence'];
  readonly about: string | undefined;
  readonly transcript: string | undefined;
}

/** A known value in a prompt, with the rows that have it. */
export interface Sighting {
  readonly value: number;
  readonly start: number;
  readonly end: number;
  readonly tuples: readonly KnownTuple[];
}

/** Most values of a field that are remembered as possible answers. */
const maxDomain = 512;

/** The rows and tasks that the pool answers from. Rows may be added at any time. */
export class Truth {
  readonly tasks: TruthTask[] = [];
  readonly texts = new TextIndex();
  private readonly holders: (KnownTuple | KnownTuple[])[] = [];
  private readonly media = new Map<string, KnownTuple>();
  private readonly byCollection = new Map<string, KnownTuple[]>();
  private readonly domains = new Map<string, Map<string, JsonValue>>();
  private readonly classes = new Set<string>();

  constructor(...data: readonly TruthData[]) {
    for (const { tuples, tasks } of data) {
      this.tasks.push(...tasks);
      for (const tuple of tuples) this.add(tuple);
    }
  }

  add(tuple: TruthTuple): KnownTuple {
    const { id, collection, fields, evidence, about, transcript } = tuple;
    const rows = this.rowsOf(collection);
    const known: KnownTuple = { id, collection, place: rows.length, fields, evidence, about, transcript };
    rows.push(known);
    for (const value of tuple.values) this.alias(known, value);
    for (const hash of tuple.media ?? []) this.addMedia(known, hash);
    if (about !== undefined) this.classes.add(about);
    for (const [field, value] of Object.entries(fields)) this.remember(collection, field, value);
    return known;
  }

  /** A further text that stands for a row, such as the transcript that a model gave of its clip. */
  alias(tuple: KnownTuple, text: string): void {
    const value = this.texts.add(text);
    if (value === undefined) return;
    const holders = this.holders[value];
    if (holders === undefined) this.holders[value] = tuple;
    else if (Array.isArray(holders)) {
      if (holders.at(-1) !== tuple) holders.push(tuple);
    } else if (holders !== tuple) this.holders[value] = [holders, tuple];
  }

  /** A further image or clip of a row, by SHA-256: what it is after resizing. The first row of a hash keeps it. */
  addMedia(tuple: KnownTuple, sha256: string): void {
    if (!this.media.has(sha256)) this.media.set(sha256, tuple);
  }

  byMedia(sha256: string): KnownTuple | undefined {
    return this.media.get(sha256);
  }

  /** Rows of a text that is one value as a whole. */
  byText(text: string): readonly KnownTuple[] {
    const value = this.texts.whole(text);
    return value === undefined ? [] : this.holdersOf(value);
  }

  sightings(words: Words): readonly Sighting[] {
    return this.texts.find(words).map((found) => ({ ...found, tuples: this.holdersOf(found.value) }));
  }

  rowsOf(collection: string): KnownTuple[] {
    const rows = this.byCollection.get(collection) ?? [];
    this.byCollection.set(collection, rows);
    return rows;
  }

  /** Distinct values of a field, of a list's items: what a wrong answer may be. */
  domain(collection: string, field: string): readonly JsonValue[] {
    return [...(this.domains.get(`${collection}\n${field}`)?.values() ?? [])];
  }

  /** Classes that embeddings come near. */
  embeddingClasses(): ReadonlySet<string> {
    return this.classes;
  }

  get size(): number {
    let size = 0;
    for (const rows of this.byCollection.values()) size += rows.length;
    return size;
  }

  private holdersOf(value: number): readonly KnownTuple[] {
    const holders = this.holders[value];
    return holders === undefined ? [] : Array.isArray(holders) ? holders : [holders];
  }

  private remember(collection: string, field: string, value: JsonValue): void {
    const key = `${collection}\n${field}`;
    const domain = this.domains.get(key) ?? new Map<string, JsonValue>();
    this.domains.set(key, domain);
    for (const item of Array.isArray(value) ? (value as readonly JsonValue[]) : [value]) {
      if (item !== null && domain.size < maxDomain) domain.set(JSON.stringify(item), item);
    }
  }
}
