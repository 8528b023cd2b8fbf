/** What the answers of a call are in TypeScript, from the types that the call asks for. */

/** A type as AI_COMPLETE and AI_EXTRACT take it: a type name, a question, both, labels, a list of a type, or fields. */
export type AnswerType = string | readonly [AnswerType, ...AnswerType[]] | { readonly [field: string]: AnswerType };

interface Named {
  integer: bigint;
  int: bigint;
  bigint: bigint;
  number: number;
  double: number;
  float: number;
  boolean: boolean;
  bool: boolean;
  date: number;
  string: string;
  text: string;
}

type FromWords<Words extends string> = string extends Words
  ? unknown
  : Words extends `${infer Name}:${string}`
    ? FromName<Name, string>
    : FromName<Words, string>;

type FromName<Name extends string, Otherwise> = Name extends keyof Named
  ? Named[Name]
  : Name extends `${infer Item}[]`
    ? readonly (FromName<Item, Otherwise> | null)[]
    : Otherwise;

/**
 * The value of a type: `'integer'` gives bigint, `'date'` the milliseconds from 1970 to its midnight in UTC, `'What broke?'` string, `['low', 'high']` one of the two, `[{…}]` a list,
 * `{a: …}` an object. Fields may be null where the input says nothing of them.
 */
export type Answer<Type> = Type extends string
  ? FromWords<Type>
  : Type extends readonly [infer Only]
    ? Only extends string
      ? readonly (FromWords<Only> | null)[]
      : readonly Answer<Only>[]
    : Type extends readonly (infer Label)[]
      ? Label
      : { readonly [Field in keyof Type]: Answer<Type[Field]> | null };

/** The answer, or the answer and why. */
export type Explained<Value, Options> = Options extends { readonly explain: true }
  ? { readonly answer: Value; readonly explanation: string }
  : Value;
