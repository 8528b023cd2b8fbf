/** Sorts the arguments of a semantic call into positional ones, named ones and options. */
import { didYouMean } from './nearest.js';
import { fault } from './fault.js';
import { structLiteral } from './literals.js';
import { nodes, type SqlNode, text } from './tree.js';

export interface CallArguments {
  readonly node: SqlNode;
  readonly positional: readonly SqlNode[];
  /** Named arguments and options by name in lower case. */
  readonly named: ReadonlyMap<string, SqlNode>;
  /** Names that other systems know and that have no effect here. */
  readonly ignored: readonly string[];
}

export interface ArgumentNames {
  /** How a call is written, for messages. */
  readonly usage: string;
  /** Names of the positional arguments; each may also be given by name. */
  readonly positional: readonly string[];
  /** Whether more positional arguments may follow. */
  readonly rest?: boolean;
  /** Whether none of them can be a struct, so that a trailing struct always holds options. */
  readonly plain?: boolean;
  /** Fewest positional arguments. */
  readonly required: number;
  /** Options: named arguments, or fields of a trailing struct; a positional argument may be one too. */
  readonly options: readonly string[];
}

/** Options of other systems: they choose the service or its error policy, which here belongs to the run. */
const foreignOptions = new Set([
  'connection_id',
  'endpoint',
  'max_error_ratio',
  'model_params',
  'optimization_mode',
  'request_type',
  'return_error_details',
  'show_details',
  'temperature',
]);

/** Throws `BadArgument` for an unknown name, a name given twice, or a wrong number of arguments. */
export function sortArguments(node: SqlNode, names: ArgumentNames): CallArguments {
  const given = nodes(node, 'children');
  const named = new Map<string, SqlNode>();
  const ignored: string[] = [];
  const take = (name: string, value: SqlNode): void => {
    const key = name.toLowerCase();
    if (foreignOptions.has(key)) return void ignored.push(key);
    const known = [...new Set([...names.positional, ...names.options])];
    if (!known.includes(key)) {
      const near = didYouMean(key, known) || `It takes ${known.join(', ')}.`;
      throw fault('BadArgument', `${names.usage} has no option "${name}"`, value, near);
    }
    if (named.has(key)) throw fault('BadArgument', `"${name}" is given twice`, value, names.usage);
    named.set(key, value);
  };
  const positional: SqlNode[] = [];
  for (const argument of given) {
    const name = text(argument, 'alias');
    if (name === '') positional.push(argument);
    else take(name, { ...argument, alias: '' });
  }
  const options = trailingOptions(positional, names);
  if (options !== undefined) {
    positional.pop();
    for (const [name, value] of options) take(name, { ...value, alias: '' });
  }
  names.positional.forEach((name, i) => {
    const value = positional[i];
    if (value !== undefined) take(name, value);
  });
  const missing = names.positional.slice(0, names.required).find((name) => !named.has(name));
  if (missing !== undefined) throw fault('BadArgument', `${names.usage}: ${missing} is missing`, node);
  const extra = names.rest === true ? undefined : positional[names.positional.length];
  if (extra !== undefined) throw fault('BadArgument', `${names.usage}: too many arguments`, extra);
  return { node, positional: positional.slice(names.positional.length), named, ignored };
}

/** The fields of a last struct argument that stands where options stand, or that consists of options only. */
function trailingOptions(
  positional: readonly SqlNode[],
  names: ArgumentNames,
): readonly (readonly [string, SqlNode])[] | undefined {
  const index = positional.length - 1;
  const fields = structLiteral(positional[index]);
  if (fields === undefined || index < names.required) return undefined;
  if (names.plain === true || index >= names.positional.length) return fields;
  const isOption = (name: string): boolean => names.options.includes(name) || foreignOptions.has(name);
  return fields.every(([name]) => isOption(name.toLowerCase())) ? fields : undefined;
}
