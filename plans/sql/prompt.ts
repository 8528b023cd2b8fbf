/** Arguments that say what to ask: from their SQL form to a template with numbered inputs. */
import { fault } from './fault.js';
import { offsetInString, type Token } from './lexer.js';
import { stringLiteral, structLiteral, tupleLiteral } from './literals.js';
import { escapeBraces, nameParts, splitPlaceholders } from './placeholders.js';
import { resolveColumn, type Scope, sourceRef, unknownColumn } from './scope.js';
import { columnRef, findNode, isClass, nodes, positionOf, type SqlNode, text, treeKey } from './tree.js';

/** An input before its expression has become SQL text. */
export interface InputDraft {
  readonly node: SqlNode;
  readonly label: string;
  readonly modality: 'text' | 'image' | 'audio';
}

export interface Prompt {
  /** `{0}`, `{1}` … for the inputs, braces doubled. */
  readonly template: string;
  readonly inputs: readonly InputDraft[];
}

/** What reading a call needs to know about the query around it. */
export interface PromptContext {
  readonly scope: Scope;
  readonly sql: string;
  readonly tokens: readonly Token[];
  /** Checks an expression and makes it readable over the plan's rows, nested calls included. */
  readonly input: (expression: SqlNode) => InputDraft;
}

/** An argument that a prompt can name by its number, or by its own name. */
export interface PromptArgument {
  readonly node: SqlNode;
  readonly name?: string;
}

type Piece = string | InputDraft;

/** Numbers the inputs, each distinct expression once, and puts the template together. */
function assemble(pieces: readonly Piece[]): Prompt {
  const inputs: InputDraft[] = [];
  const keys: string[] = [];
  const template = pieces.map((piece) => {
    if (typeof piece === 'string') return escapeBraces(piece);
    const key = treeKey(piece.node);
    if (!keys.includes(key)) {
      keys.push(key);
      inputs.push(piece);
    }
    return `{${keys.indexOf(key)}}`;
  });
  return { template: template.join(''), inputs };
}

/**
 * Any form of prompt: a literal with placeholders, `PROMPT('… {0}', a)`, a tuple of texts and columns, a concatenation,
 * or another expression over columns. Throws `PromptWithoutColumn`, `UnknownColumn`, `BadArgument`.
 */
export function readPrompt(node: SqlNode, context: PromptContext): Prompt {
  const prompt = isClass(node, 'CONSTANT') ? literalPrompt(node, [], context) : compoundPrompt(node, context);
  requireColumn(prompt, node, columnHint);
  return prompt;
}

/** Throws `PromptWithoutColumn` when no input reads a column: every row would get the same question. */
export function requireColumn(prompt: Prompt, at: SqlNode, hint: string): void {
  const reads = prompt.inputs.some(
    (input) => findNode(input.node, (node) => isClass(node, 'COLUMN_REF')) !== undefined,
  );
  if (reads) return;
  throw fault('PromptWithoutColumn', 'the prompt names no column: every row would get the same question', at, hint);
}

const columnHint = "Name a column in braces: AI_FILTER('Is this review positive? {review}').";

function compoundPrompt(node: SqlNode, context: PromptContext): Prompt {
  if (isClass(node, 'FUNCTION') && text(node, 'function_name') === 'prompt') return promptFunction(node, context);
  const tuple = tupleLiteral(node) ?? structLiteral(node)?.map(([, value]) => value);
  if (tuple !== undefined) return assemble(tuple.map((part) => stringLiteral(part) ?? context.input(part)));
  const parts = concatenation(node);
  if (parts.some((part) => stringLiteral(part) !== undefined)) {
    return assemble(parts.map((part) => stringLiteral(part) ?? context.input(part)));
  }
  return assemble([context.input(node)]);
}

/** `a || b || c` as its parts. */
function concatenation(node: SqlNode): readonly SqlNode[] {
  const joined = isClass(node, 'FUNCTION') && text(node, 'function_name') === '||';
  return joined ? nodes(node, 'children').flatMap(concatenation) : [node];
}

function promptFunction(node: SqlNode, context: PromptContext): Prompt {
  const [template, ...rest] = nodes(node, 'children');
  if (template === undefined || stringLiteral(template) === undefined) {
    throw fault('BadArgument', 'PROMPT needs a text literal first', node, "PROMPT('Is {0} about {1}?', a, b)");
  }
  const { prompt, unread } = bindLiteral(
    template,
    rest.map((argument) => ({ node: argument })),
    context,
  );
  const [first] = unread;
  if (first !== undefined) {
    const number = rest.indexOf(first.node);
    throw fault(
      'BadArgument',
      `PROMPT never uses its argument {${number}}`,
      first.node,
      `Put {${number}} into the text.`,
    );
  }
  return prompt;
}

/**
 * A literal prompt with the arguments that follow it. Those that the text names by `{0}` or `{name}` stand there; the
 * others are appended, one paragraph each.
 */
export function literalPrompt(node: SqlNode, args: readonly PromptArgument[], context: PromptContext): Prompt {
  const { pieces, unread } = bindLiteral(node, args, context);
  const appended = unread.flatMap(({ node: argument, name }): Piece[] => [
    name === undefined ? '\n\n' : `\n\n${name}: `,
    context.input(argument),
  ]);
  return assemble([...pieces, ...appended]);
}

function bindLiteral(
  node: SqlNode,
  args: readonly PromptArgument[],
  context: PromptContext,
): { readonly prompt: Prompt; readonly pieces: readonly Piece[]; readonly unread: readonly PromptArgument[] } {
  const intent = stringLiteral(node);
  if (intent === undefined) throw fault('BadArgument', 'a prompt must be text', node, columnHint);
  const offsetOf = literalOffsets(node, context);
  const read = new Set<PromptArgument>();
  const pieces = splitPlaceholders(intent, offsetOf).map((piece): Piece => {
    if (piece.kind === 'text') return piece.text;
    const argument = argumentNamed(piece.name, args, offsetOf(piece.index));
    if (argument === undefined) return context.input(namedColumn(piece.name, context, offsetOf(piece.index)));
    read.add(argument);
    return context.input(argument.node);
  });
  return { prompt: assemble(pieces), pieces, unread: args.filter((argument) => !read.has(argument)) };
}

function argumentNamed(
  name: string,
  args: readonly PromptArgument[],
  position: number | undefined,
): PromptArgument | undefined {
  const named = args.find((argument) => argument.name?.toLowerCase() === name.toLowerCase());
  if (named !== undefined || !/^\d+$/.test(name) || args.length === 0) return named;
  const argument = args[Number(name)];
  if (argument === undefined) {
    const hint = `There ${args.length === 1 ? 'is 1 argument, {0}' : `are ${args.length} arguments, {0} to {${args.length - 1}}`}.`;
    throw fault('BadArgument', `{${name}} has no argument`, position, hint);
  }
  return argument;
}

/** The column, or the alias of the select list, that a placeholder names. */
function namedColumn(name: string, context: PromptContext, position: number | undefined): SqlNode {
  const located = position === undefined ? {} : { query_location: position };
  const { scope } = context;
  for (const parts of [[name], nameParts(name)]) {
    const found = resolveColumn(scope, parts);
    if (found !== undefined) return { ...sourceRef(scope, found.column.name, found.fields), ...located };
  }
  const [only, ...more] = nameParts(name);
  if (only !== undefined && more.length === 0 && scope.aliases.has(only.toLowerCase())) {
    return { ...columnRef([only]), ...located };
  }
  const numbered = /^\d+$/.test(name) ? "Numbers need PROMPT('… {0}', column)." : '';
  throw unknownColumn(
    scope,
    name,
    position,
    `${numbered} Write {{ and }} for braces that are part of the text.`.trim(),
  );
}

function literalOffsets(node: SqlNode, { sql, tokens }: PromptContext): (index: number) => number | undefined {
  const start = positionOf(node);
  const token = start === undefined ? undefined : tokens.find((candidate) => candidate.start === start);
  const isString = token !== undefined && ['string', 'escaped', 'dollar'].includes(token.kind);
  return (index) => (isString ? offsetInString(sql, token, index) : start);
}
