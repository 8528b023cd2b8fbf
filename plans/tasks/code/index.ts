import type { JsonValue } from '../../protocol/json.js';
import type { CodeTasks } from './code-task.js';
import { entities, patternOf } from './entities.js';
import { outline } from './outline.js';
import { isUnit, split } from './split.js';
import { tableCells } from './table-cells.js';

/** Tasks of the catalog that code does, by name: one more is one entry. */
export const codeTasks: CodeTasks = {
  OpTxtSplit: {
    serves: ({ unit }) => unit === undefined || isUnit(unit),
    run: ({ text = '' }, { unit }) =>
      split(text, isUnit(unit) ? unit : 'paragraph').map((Content, at) => ({ SegIdx: at + 1, Content })),
  },
  OpTxtOutline: { serves: () => true, run: ({ text = '' }) => outline(text) },
  OpTxtTable: { serves: () => true, run: ({ text = '' }) => tableCells(text) },
  OpTxtNER: {
    // people and places have no pattern; a list that names one of them is a model's as a whole
    serves: ({ entities: wanted }) =>
      listOf(wanted).length > 0 && listOf(wanted).every((name) => patternOf(name) !== undefined),
    run: ({ text = '' }, { entities: wanted }) => entities(text, listOf(wanted).map(String)),
  },
};

const listOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];
