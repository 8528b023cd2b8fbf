export { type CallFacts, defaultSelectivity, estimateCalls } from './estimate.js';
export { priceOf, promptTokens, worstCase } from './price.js';
export { likelyReplyTokens } from './reply-tokens.js';
export { estimateTokens, maxTokens } from './tokens.js';
