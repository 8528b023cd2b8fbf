import { FermataError } from '../protocol/errors.js';
import type { JsonValue } from '../protocol/json.js';
import type { OperatorKind, OperatorParameters, SemanticCall } from './call.js';
import type { PromptInput } from './prompt.js';

/** What a model's reply says, or why it says nothing usable; `problem` is one short sentence for people and models. */
export type Decoded =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

/** How one kind of operator asks a model directly, one prompt a tuple. One row of `semanticOperators` each. */
export interface SemanticOperator {
  /** Instruction for the model, with labels and fields, never with data: the same for all rows of a call. */
  readonly system: (call: SemanticCall) => string;
  /** The question that follows the data, from the intent; an intent of the data alone is empty, and may stay so. */
  readonly ask: (intent: string, call: SemanticCall) => string;
  /** The whole content of a request, for operators over several items; absent: the data of one tuple, then the question. */
  readonly render?: (inputs: readonly string[], call: SemanticCall) => string;
  /** Upper bound of the answer's length, in tokens; for the tuple whose inputs are given, else for a usual one. */
  readonly maxOutputTokens: (call: SemanticCall, inputs?: readonly PromptInput[]) => number;
  /** Reads a reply; never throws on any reply. */
  readonly decode: (reply: string, call: SemanticCall) => Decoded;
  /** Throws `FermataError` `BadArgument` when the parameters or the output type make no sense. */
  readonly check: (call: SemanticCall) => void;
}

/** The intent as the user wrote it. */
export const asWritten = (intent: string): string => intent;

/** The parameters of a call that is known to be of one kind. */
export function parametersOf<K extends OperatorKind>(
  call: SemanticCall,
  kind: K,
): Extract<OperatorParameters, { readonly kind: K }> {
  const parameters: OperatorParameters = call.parameters;
  if (parameters.kind !== kind) throw new FermataError('Internal', `Expected a ${kind}, got a ${parameters.kind}.`);
  return parameters as Extract<OperatorParameters, { readonly kind: K }>;
}

/** An error of the user's in one call. */
export function badCall(call: SemanticCall, message: string, hint?: string): FermataError {
  return new FermataError('BadArgument', message, {
    ...(hint === undefined ? {} : { hint }),
    where: { operator: call.parameters.kind, position: call.position },
  });
}
