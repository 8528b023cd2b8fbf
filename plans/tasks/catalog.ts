import { associative } from './associative.js';
import { attributive } from './attributive.js';
import { generative } from './generative.js';
import { latent } from './latent.js';
import { structural } from './structural.js';
import { catalogOf, type Task } from './task.js';

/** The 28 tasks of CADENZA's Table 1, the audio tasks and the cross-modal score. */
export const tasks: readonly Task[] = [...structural, ...attributive, ...associative, ...generative, ...latent];

export const defaultCatalog = catalogOf(tasks);
