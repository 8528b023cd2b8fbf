/** What the planner must know about DuckDB's own functions; a test compares these with DuckDB's catalog. */

/** Functions that fold many rows into one value. */
export const aggregateFunctions: ReadonlySet<string> = new Set(
  (
    'any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last ' +
    'arg_min arg_min_null arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and ' +
    'bool_or corr count count_if count_star countif covar_pop covar_samp cume_dist dense_rank entropy favg fill first ' +
    'first_value fsum geomean geometric_mean group_concat histogram histogram_exact json_group_array json_group_object json_group_structure kahan_sum kurtosis kurtosis_pop lag ' +
    'last last_value lead list listagg mad max max_by mean median min min_by mode nth_value ntile percent_rank product ' +
    'quantile quantile_cont quantile_disc rank rank_dense regr_avgx regr_avgy regr_count regr_intercept regr_r2 ' +
    'regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile row_number sem skewness stddev stddev_pop stddev_samp ' +
    'string_agg sum sum_no_overflow sumkahan var_pop var_samp variance wavg weighted_avg'
  ).split(' '),
);

/** Functions whose value differs from one execution to the next; written without parentheses some look like columns. */
export const unstableFunctions: ReadonlySet<string> = new Set(
  (
    'random uuid uuidv4 uuidv7 gen_random_uuid setseed nextval currval now today get_current_time ' +
    'get_current_timestamp transaction_timestamp current_date current_time current_timestamp localtime localtimestamp ' +
    'current_localtime current_localtimestamp txid_current current_transaction_id current_connection_id current_query ' +
    'current_query_id current_database current_schema current_schemas in_search_path sleep_ms write_log error stats age'
  ).split(' '),
);

/** Functions in FROM that make rows out of their arguments alone. */
export const rowFunctions: ReadonlySet<string> = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'repeat_row',
  'generate_subscripts',
  'json_each',
  'json_tree',
]);
