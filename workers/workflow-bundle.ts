import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Where the build leaves the bundle and workers find it: beside the compiled output. */
export const workflowBundlePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

/** Bundles the compiled workflows; part of the build, so that workers start in half a second. */
export async function writeWorkflowBundle(): Promise<void> {
  const workflowsPath = fileURLToPath(new URL('../workflows/index.js', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath });
  await writeFile(workflowBundlePath, code);
}
