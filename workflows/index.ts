export { apply } from './apply.js';
export { estimate } from './estimate.js';
export { query } from './query.js';
