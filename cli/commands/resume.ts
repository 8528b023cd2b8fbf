import { controlCommand } from '../run-control.js';

export const command = controlCommand('resumed', (run) => run.resume());
