import { controlCommand } from '../run-control.js';

export const command = controlCommand('being cancelled', (run) => run.cancel());
