import { up } from '../../../workers/embedded/stack.js';
import { projectAt, type WorkerKind } from './project.js';

/** `fermata up` as another process would run it: `node up-program.js <home> <worker kind…>`; prints the id of the stack. */
const [home, ...kinds] = process.argv.slice(2);
const project = projectAt(String(home), kinds as WorkerKind[]);
const status = await up(project.settings, process.env, { plan: project.plan });
console.log('id' in status ? status.id : status.state);
