import type { DuckDBConnection } from '@duckdb/node-api';
import { FermataError } from '../../../plans/protocol/errors.js';
import { type JsonValue, parseJson } from '../../../plans/protocol/json.js';
import type { SqlParser } from '../../../plans/sql/ports.js';
import { isNode, type SqlNode, text } from '../../../plans/sql/tree.js';

/**
 * DuckDB's parser through `json_serialize_sql` and `json_deserialize_sql`. Works on any connection and touches no table.
 *
 * @example
 * const parser = createSqlParser(connection);
 * const [query] = await parser.serialize('SELECT 1');
 */
export function createSqlParser(connection: DuckDBConnection): SqlParser {
  const ask = async (sql: string, value: string): Promise<string> => {
    const reader = await connection.runAndReadAll(sql, [value]);
    return String(reader.getRows()[0]?.[0]);
  };
  return {
    async serialize(sql) {
      const reply = readTree(await ask('SELECT json_serialize_sql($1::VARCHAR)', sql));
      if (reply['error'] === true) throw syntaxError(reply, sql);
      const offsetOf = utf16Offsets(sql);
      const statements = reply['statements'];
      if (!Array.isArray(statements)) throw new FermataError('Internal', 'DuckDB returned no statements');
      return (statements as readonly JsonValue[]).map((statement) => {
        const node = isNode(statement) ? statement['node'] : undefined;
        if (!isNode(node)) throw new FermataError('Internal', 'DuckDB returned a statement without a query');
        return relocate(node, offsetOf) as SqlNode;
      });
    },
    async deserialize(query) {
      const tree = { error: false, statements: [{ node: withoutCommas(unlocated(query)), named_param_map: [] }] };
      return ask('SELECT json_deserialize_sql($1::VARCHAR::JSON)', writeTree(tree));
    },
  };
}

/**
 * DuckDB writes a cross join as a comma, which binds less than JOIN: beside another join it would become a cross product
 * with that. There it is an inner join on TRUE.
 */
function withoutCommas(value: JsonValue, inJoin = false): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => withoutCommas(item));
  if (!isNode(value)) return value;
  const isJoin = value['type'] === 'JOIN';
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => {
    return [key, withoutCommas(item, isJoin && (key === 'left' || key === 'right'))];
  });
  const node = Object.fromEntries(entries);
  return isJoin && inJoin && value['ref_type'] === 'CROSS' ? { ...node, ref_type: 'REGULAR', condition: isTrue } : node;
}

const isTrue: SqlNode = {
  ...{ class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '' },
  value: { type: { id: 'BOOLEAN', type_info: null }, is_null: false, value: true },
};

function syntaxError(reply: SqlNode, sql: string): FermataError {
  const message = text(reply, 'error_message');
  if (reply['error_type'] === 'not implemented') {
    if (!message.startsWith('Only SELECT')) return new FermataError('UnsupportedSql', message);
    const hint = 'Run one SELECT; prepare tables beforehand, and write results to a file with --out.';
    return new FermataError('UnsupportedSql', 'Only SELECT queries can run here', { hint, where: { position: 0 } });
  }
  const position = reply['position'] === undefined ? Number.NaN : Number(reply['position']);
  if (!Number.isFinite(position)) return new FermataError('SqlSyntax', message);
  // unlike those of nodes, this place is counted in characters
  const before = Array.from(sql).slice(0, position).join('');
  return new FermataError('SqlSyntax', message, { where: { position: before.length } });
}

/** Marks a JSON number that a JavaScript number would not give back digit by digit. */
const numberMark = '\u0000number:';
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const markedNumber = /"\\u0000number:([^"]*)"/g;

function readTree(json: string): SqlNode {
  const exact = json.replace(stringOrNumber, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : JSON.stringify(numberMark + token),
  );
  const parsed = parseJson(exact);
  if (!parsed.ok || !isNode(parsed.value)) throw new FermataError('Internal', 'DuckDB returned a broken syntax tree');
  return parsed.value;
}

function writeTree(tree: JsonValue): string {
  return JSON.stringify(tree).replace(markedNumber, '$1');
}

/** Byte offsets, as DuckDB counts, to offsets in UTF-16 units. */
function utf16Offsets(sql: string): (bytes: number) => number {
  const bytes = Buffer.from(sql, 'utf8');
  return (offset) => bytes.subarray(0, offset).toString('utf8').length;
}

function relocate(value: JsonValue, offsetOf: (bytes: number) => number): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => relocate(item, offsetOf));
  if (!isNode(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, JsonValue][] => {
    if (key !== 'query_location') return [[key, relocate(item, offsetOf)]];
    return typeof item === 'number' ? [[key, offsetOf(item)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Positions mean nothing on the way back, and DuckDB refuses those it did not write. */
function unlocated(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(unlocated);
  if (!isNode(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'query_location');
  return Object.fromEntries(entries.map(([key, item]) => [key, unlocated(item)]));
}
