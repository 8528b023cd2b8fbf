/** How right results are, by the definitions of SemBench and CADENZA §7.1.2, each on plain values. */
export { bootstrapInterval, shareInterval } from './intervals.js';
export { accuracy, adjustedRandIndex, labelF1, macroF1 } from './labels.js';
export { type MetricName, metricOf, metrics } from './metrics.js';
export { errorQuality, groupedError, relativeError, resultError } from './numbers.js';
export { averageRanks, bestMatch, rankPrecision, spearman, spearmanOfIds } from './ranking.js';
export { listRetrieval, retrieval } from './retrieval.js';
export { sameText, textSimilarity } from './text.js';
