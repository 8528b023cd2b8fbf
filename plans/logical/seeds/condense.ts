import { applyTask, outputName } from '../../algebra/build.js';
import type { Operator } from '../../algebra/operator.js';
import { type Attribute, freeName } from '../../relation/schema.js';
import { schemaOf } from '../../algebra/walk.js';
import type { Catalog } from '../../tasks/task.js';
import { modalityOf } from '../ask.js';

const condensers = {
  text: { task: 'OpTxtSum', slot: 'text', output: 'Summary', focus: true },
  image: { task: 'OpImgCap', slot: 'image', output: 'Caption', focus: true },
  audio: { task: 'OpAudASR', slot: 'audio', output: 'Text', focus: false },
} as const;

/** Each subject as a short text: a summary, a caption, a transcript. Undefined where the catalog lacks a task for it. */
export function condense(
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
  question: string,
): { readonly input: Operator; readonly subjects: readonly Attribute[] } | undefined {
  let input = base;
  const short: Attribute[] = [];
  for (const subject of subjects) {
    const { task: name, slot, output, focus } = condensers[modalityOf(subject)];
    const task = catalog.get(name);
    if (task === undefined) return undefined;
    const apply = applyTask(task, input, {
      bind: { [slot]: subject.name },
      params: focus ? { focus: question } : {},
      as: { [output]: freeName(schemaOf(input), `${subject.name}_${output.toLowerCase()}`) },
    });
    input = apply;
    short.push({ name: outputName(apply, output), type: 'Text' });
  }
  return { input, subjects: short };
}
