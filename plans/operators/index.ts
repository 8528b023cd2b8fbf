export { requestFingerprint } from './fingerprint.js';
export type { PromptInput } from './prompt.js';
export { semanticOperators } from './registry.js';
export { attachMedia, buildRequest, repairRequest } from './request.js';
export { validateCall } from './validate.js';
