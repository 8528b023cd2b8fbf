import { FermataError } from '../protocol/errors.js';
import type { SemanticCall } from './call.js';
import { badCall } from './operator.js';
import type { OutputType } from './output.js';
import { semanticOperators } from './registry.js';
import { parseTemplate } from './template.js';

/** OpenAI's strict mode takes ten levels; the envelope and nullable fields need some. */
const maxDepth = 5;
const maxFields = 100;

/**
 * Checks one call before anything is spent: its prompt, its parameters, its output type.
 *
 * @throws `FermataError` `PromptWithoutColumn` when the prompt names no input, else `BadArgument`.
 */
export function validateCall(call: SemanticCall): void {
  const used = new Set(parseTemplate(call.template).flatMap((piece) => ('input' in piece ? [piece.input] : [])));
  if (used.size === 0) {
    throw new FermataError('PromptWithoutColumn', `The prompt ${JSON.stringify(call.template)} names no column.`, {
      hint: 'Every row would get the same answer: name a column in braces, e.g. {review}.',
      where: { operator: call.parameters.kind, position: call.position },
    });
  }
  const missing = [...used].find((index) => index >= call.inputs.length);
  if (missing !== undefined) {
    throw badCall(call, `The prompt names {${missing}}, but has ${call.inputs.length} arguments.`);
  }
  const unused = call.inputs.find((_, index) => !used.has(index));
  if (unused !== undefined) {
    throw badCall(call, `The argument ${JSON.stringify(unused.label)} is not named in the prompt.`);
  }
  checkType(call, call.output, 1);
  semanticOperators[call.parameters.kind].check(call);
}

function checkType(call: SemanticCall, type: OutputType, depth: number): void {
  if (depth > maxDepth) throw badCall(call, `The output type nests deeper than ${maxDepth} levels.`);
  if (type.kind === 'enum') {
    if (type.values.length === 0) throw badCall(call, 'An enum needs at least one value.');
    if (new Set(type.values).size < type.values.length) throw badCall(call, 'An enum holds a value twice.');
  } else if (type.kind === 'number') {
    if (type.min !== undefined && type.max !== undefined && type.min > type.max) {
      throw badCall(call, `A number from ${type.min} to ${type.max} does not exist.`);
    }
  } else if (type.kind === 'list') {
    checkType(call, type.item, depth + 1);
  } else if (type.kind === 'struct') {
    checkFields(
      call,
      type.fields.map((field) => field.name),
    );
    for (const field of type.fields) checkType(call, field.type, depth + 1);
  }
}

/** DuckDB tells struct fields apart without regard to case. */
function checkFields(call: SemanticCall, names: readonly string[]): void {
  if (names.length === 0 || names.length > maxFields) {
    throw badCall(call, `A struct needs 1 to ${maxFields} fields, got ${names.length}.`);
  }
  const folded = names.map((name) => name.toLowerCase());
  const odd = names.find((name, index) => name.trim() === '' || folded.indexOf(folded[index] ?? '') !== index);
  if (odd !== undefined) throw badCall(call, `The field ${JSON.stringify(odd)} is empty or given twice.`);
}
