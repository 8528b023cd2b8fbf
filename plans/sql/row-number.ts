import type { SqlNode } from './tree.js';

/** `row_number() OVER ()`. */
export const rowNumber: SqlNode = {
  class: 'WINDOW',
  type: 'WINDOW_ROW_NUMBER',
  alias: '',
  function_name: 'row_number',
  schema: '',
  catalog: '',
  children: [],
  partitions: [],
  orders: [],
  start: 'UNBOUNDED_PRECEDING',
  end: 'CURRENT_ROW_RANGE',
  start_expr: null,
  end_expr: null,
  offset_expr: null,
  default_expr: null,
  ignore_nulls: false,
  filter_expr: null,
  exclude_clause: 'NO_OTHER',
  distinct: false,
  arg_orders: [],
};
