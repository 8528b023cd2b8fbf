export { type CallFacts, estimateCalls } from './estimate.js';
export { priceOf, promptTokens, worstCase } from './price.js';
export { estimateTokens, maxTokens } from './tokens.js';
