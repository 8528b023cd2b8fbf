import type { Task } from './task.js';

/** Tasks that make vectors; those of one model share a space, so text and images can be compared. */
export const latent = [
  {
    name: 'OpTxtEmbed',
    modality: 'text',
    category: 'latent',
    description: 'Encodes text into a vector representation.',
    inputs: { text: { type: 'Text' } },
    outputs: { Vector: 'Vector' },
    prompt: ['{text}'],
  },
  {
    name: 'OpImgEmbed',
    modality: 'image',
    category: 'latent',
    description: 'Encodes the image into a dense vector representation.',
    inputs: { image: { type: 'Image' }, region: { type: 'FLOAT[4]', optional: true } },
    outputs: { Vector: 'Vector' },
    prompt: ['Box: {region}', '{image}'],
  },
  {
    name: 'OpAudEmbed',
    modality: 'audio',
    category: 'latent',
    description: 'Encodes a recording into a dense vector representation.',
    inputs: { audio: { type: 'Audio' } },
    outputs: { Vector: 'Vector' },
    prompt: ['{audio}'],
  },
] as const satisfies readonly Task[];
