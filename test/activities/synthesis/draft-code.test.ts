import { afterAll, describe, expect, it } from 'vitest';
import { draftCode } from '../../../activities/synthesis/draft-code.js';
import { codeOfReply, type CodeTask, codePrompt } from '../../../plans/physical/synthesis/prompt.js';
import { openSandbox } from '../../../workers/runtime/sandbox/open.js';

const runner = openSandbox({ children: 1 });
afterAll(() => runner.close());
const { signal } = new AbortController();

const task: CodeTask = {
  intent: 'Which mood has {review}?',
  columns: [{ name: 'review', kind: 'text' }],
  output: { kind: 'enum', values: ['good', 'bad'] },
  samples: [{ row: { review: 'great food' }, answer: 'good' }, { row: { review: 'cold soup' } }],
  profile: ['review: 10 to 900 characters'],
};
const good = "(row) => /great/i.test(row.review) ? { answer: 'good', confidence: 0.9 } : null";
const fenced = (code: string): string => `Here it is:\n\`\`\`js\n${code};\n\`\`\`\n`;

/** Replies as they were recorded, in turn; keeps what was asked. */
function recorded(replies: readonly string[]) {
  const prompts: string[] = [];
  const ask = ({ prompt }: { readonly prompt: string }): Promise<string> => {
    prompts.push(prompt);
    return Promise.resolve(replies[prompts.length - 1] ?? '');
  };
  return { prompts, ask };
}

describe('drafting code', () => {
  it('takes the first draft that passes', async () => {
    const { ask, prompts } = recorded([fenced(good)]);
    const drafted = await draftCode(task, { runner, clock: { now: () => 0 }, ask, signal });
    expect(drafted).toEqual({ ok: true, code: { source: good, output: task.output }, attempts: 1 });
    expect(prompts).toEqual([codePrompt(task)]);
  });

  it('tells the model what was wrong, and takes what it mends', async () => {
    const wrong = "(row) => ({ answer: 'so-so' })";
    const { ask, prompts } = recorded([fenced(`import x from 'y'`), fenced(wrong), fenced(good)]);
    const drafted = await draftCode(task, { runner, clock: { now: () => 0 }, ask, signal });
    expect(drafted).toMatchObject({ ok: true, attempts: 3 });
    expect(prompts[1]).toContain('`import` is not allowed');
    expect(prompts[2]).toContain(wrong);
    expect(prompts[2]).toContain('answer is not one of the labels');
  });

  it('gives up after its attempts, and says why', async () => {
    const { ask, prompts } = recorded(Array<string>(9).fill(fenced('(row) => null')));
    const drafted = await draftCode(task, { runner, clock: { now: () => 0 }, ask, signal, attempts: 2 });
    expect(drafted).toEqual({ ok: false, problems: ['No sample row had an answer.'], attempts: 2 });
    expect(prompts).toHaveLength(2);
  });

  it('begins no draft after its time', async () => {
    let now = 0;
    const { ask } = recorded(Array<string>(9).fill('(row) => null'));
    const clock = { now: () => (now += 40) };
    const drafted = await draftCode(task, { runner, clock, ask, signal, attempts: 9, withinMs: 100 });
    expect(drafted).toMatchObject({ ok: false, attempts: 2 });
  });

  it('shows the task: columns, labels, rows with their answers, the profile', () => {
    const prompt = codePrompt(task);
    for (const part of [
      '"review" (text)',
      '"good", "bad"',
      '"great food"} → "good"',
      '10 to 900',
      '{answer: "label"}',
    ]) {
      expect(prompt).toContain(part);
    }
  });

  it.each([
    ['a fence', fenced(good)],
    ['two fences, the last of which counts', `\`\`\`js\nnull\n\`\`\`\n${fenced(good)}`],
    ['no fence', `  ${good};\n`],
    ['a fence without a language', `\`\`\`\n${good}\n\`\`\``],
  ])('reads a reply with %s', (_, reply) => {
    expect(codeOfReply(reply)).toBe(good);
  });
});
