export { apply } from './apply.js';
export { cascade } from './cascade.js';
export { draft } from './draft.js';
export { estimate } from './estimate.js';
export { optimize } from './optimize.js';
export { query } from './query.js';
export { rounds } from './rounds.js';
export { routed } from './routed.js';
