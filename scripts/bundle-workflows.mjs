// Last step of the build: the compiled workflows become the one file that workflow workers load.
import { writeWorkflowBundle } from '../dist/workers/workflow-bundle.js';

await writeWorkflowBundle();
