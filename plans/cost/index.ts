export { type CallFacts, defaultSelectivity, estimateCalls } from './estimate.js';
export { priceOf, promptTokens, worstCase } from './price.js';
export { estimateTokens } from './tokens.js';
