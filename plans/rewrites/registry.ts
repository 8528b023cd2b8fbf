import { coarseScan } from './coarse-scan.js';
import { commutativeReordering } from './commutative-reordering.js';
import { crossModalProxying } from './cross-modal-proxying.js';
import { evidenceIsolation } from './evidence-isolation.js';
import { filterPushdown } from './filter-pushdown.js';
import { joinClassification } from './join-classification.js';
import { joinKeyMatch } from './join-key-match.js';
import { partitionedExtraction } from './partitioned-extraction.js';
import type { Rule } from './rule.js';
import { structuredPrefilter } from './structured-prefilter.js';

/**
 * All rules. Pushdown stands apart in exploration: it runs first and after every other rule, so that plans which differ in
 * nothing else are one. Then what changes most comes first, and orders of tasks last: there are many of them.
 */
export const rules: readonly Rule[] = [
  filterPushdown,
  joinKeyMatch,
  joinClassification,
  structuredPrefilter,
  coarseScan,
  crossModalProxying,
  evidenceIsolation,
  partitionedExtraction,
  commutativeReordering,
];
