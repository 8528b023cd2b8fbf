/** A child of the sandbox: runs generated code, and knows nothing else. Started by the pool with next to no rights. */
import { serve } from './runtime/sandbox/child/serve.js';

await serve();
