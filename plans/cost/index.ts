export { type CallFacts, estimateCalls } from './estimate.js';
export { priceOf, promptTokens, worstCase } from './price.js';
