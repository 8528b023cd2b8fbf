import type { SemanticCall } from './call.js';
import { exampleProblem, maxExamples, renderExamples } from './examples.js';
import { answerType, decodeExplained, explanationTokens } from './explanation.js';
import { badCall, type SemanticOperator } from './operator.js';

/**
 * An operator that heeds what users add to a prompt: instructions, examples, and the wish for an explanation. The operator
 * itself sees calls whose output is the answer alone.
 */
export function guided(operator: SemanticOperator): SemanticOperator {
  return {
    system: (call) => systemOf(call, operator),
    ask: (intent, call) => operator.ask(intent, answerCall(call)),
    ...(operator.render === undefined ? {} : { render: operator.render }),
    maxOutputTokens: (call, inputs) =>
      operator.maxOutputTokens(answerCall(call), inputs) + (call.guidance?.explain === true ? explanationTokens : 0),
    decode: (reply, call) =>
      call.guidance?.explain === true
        ? decodeExplained(reply, call.output, (answer) => operator.decode(answer, answerCall(call)))
        : operator.decode(reply, call),
    check: (call) => {
      const answer = answerCall(call);
      if (call.guidance?.explain === true) checkExplained(call);
      operator.check(answer);
      checkGuidance(answer);
    },
  };
}

/** The call without its explanation; prompts still ask for one. */
function answerCall(call: SemanticCall): SemanticCall {
  return call.guidance?.explain === true ? { ...call, output: answerType(call) } : call;
}

/** Instructions, the operator's own, then the examples: all the same for every row. */
function systemOf(call: SemanticCall, operator: SemanticOperator): string {
  const { instructions, examples = [] } = call.guidance ?? {};
  const parts = instructions === undefined ? [] : [instructions.trim()];
  parts.push(operator.system(answerCall(call)));
  if (examples.length > 0) parts.push(`Examples:\n\n${renderExamples(call)}`);
  return parts.join('\n\n');
}

function checkExplained(call: SemanticCall): void {
  const { role, output } = call;
  if (role === 'filter') throw badCall(call, 'A filter in WHERE cannot explain itself.', 'Put it in the select list.');
  const names = output.kind === 'struct' ? output.fields.map(({ name }) => name) : [];
  if (names.join() !== 'answer,explanation') {
    throw badCall(call, 'A call that explains its answers gives a struct of answer and explanation.');
  }
}

function checkGuidance(call: SemanticCall): void {
  const { instructions, examples = [] } = call.guidance ?? {};
  if (instructions?.trim() === '') throw badCall(call, 'The instructions are empty.');
  if (examples.length > maxExamples) {
    throw badCall(call, `A call takes at most ${maxExamples} examples, got ${examples.length}.`);
  }
  for (const [at, example] of examples.entries()) {
    const problem = exampleProblem(example, call, call.output);
    if (problem !== undefined) throw badCall(call, `Example ${at + 1}: ${problem}`);
  }
}
