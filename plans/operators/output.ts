/**
 * What an answer must look like: a small type language that serves prompts, JSON schemas, grammars, validation and the
 * DuckDB type of the column that the answer becomes.
 */
export type OutputType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'string' }
  | { readonly kind: 'date' }
  /** Numbers of single precision, all answers of one model equally many: what an embedding model makes. */
  | { readonly kind: 'vector' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly item: OutputType }
  | { readonly kind: 'struct'; readonly fields: readonly StructField[] };

export interface StructField {
  readonly name: string;
  readonly type: OutputType;
  readonly description?: string;
  /** Never null; fields that share one type object have it written once in a schema. Of prompts with several tuples. */
  readonly required?: true;
}
