import type { TruthData, TruthTask, TruthTuple } from '../types.js';
import { csv, text } from './data.js';

const uncertain = "CAN'T TELL";

const animals = ['zebra', 'elephant', 'monkey', 'impala', 'warthog', 'waterbuck', 'bushbuck'] as const;

const tasks: readonly TruthTask[] = [
  ...animals.flatMap((animal): readonly TruthTask[] => [
    {
      key: `wildlife.picture-${animal}`,
      collections: ['wildlife.pictures'],
      intent: [[animal]],
      truth: { rule: 'test', field: 'species', in: [animal] },
    },
    {
      key: `wildlife.sound-${animal}`,
      collections: ['wildlife.sounds'],
      intent: [[animal]],
      truth: { rule: 'test', field: 'animal', in: [animal] },
    },
  ]),
  {
    key: 'wildlife.species',
    collections: ['wildlife.pictures'],
    intent: [['animal', 'species']],
    truth: { rule: 'field', field: 'species' },
  },
  {
    key: 'wildlife.animal',
    collections: ['wildlife.sounds'],
    intent: [['animal', 'species']],
    truth: { rule: 'field', field: 'animal', labels: { lion: ['aslan'] } },
  },
];

/**
 * SemBench Wildlife: labels of pictures and recordings. The media are not part of the data: rows are known by their paths,
 * and by the hashes of the media once these are added to the registry. Evidence of a picture: one species is plain, two
 * share the picture, and the annotators' "can't tell" is hard; of a sound nothing is known.
 */
export function wildlifeTruth(folder: string): TruthData {
  const pictures = csv(folder, 'sembench-wildlife-meta', 'image_data.csv').map((row, at): TruthTuple => {
    const label = text(row, 'Species');
    const species = label === uncertain ? [] : label.toLowerCase().split(', ');
    return {
      id: String(at),
      collection: 'wildlife.pictures',
      values: [text(row, 'ImagePath')],
      fields: { species },
      evidence: { species: label === uncertain ? 0 : species.length === 1 ? 0.8 : 0.4 },
    };
  });
  const sounds = csv(folder, 'sembench-wildlife-meta', 'audio_data.csv').map((row, at): TruthTuple => {
    const animal = text(row, 'Animal').toLowerCase();
    return {
      id: String(at),
      collection: 'wildlife.sounds',
      values: [text(row, 'AudioPath')],
      fields: { animal: animal === 'aslan' ? 'lion' : animal },
    };
  });
  return { tuples: [...pictures, ...sounds], tasks };
}
