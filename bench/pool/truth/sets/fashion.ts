import type { TruthData, TruthTask, TruthTuple } from '../types.js';
import { csv, fileHash, text } from './data.js';

const field = (key: string, name: string, words: readonly string[]): TruthTask => ({
  key: `fashion.${key}`,
  collections: ['fashion.products'],
  intent: [words],
  truth: { rule: 'field', field: name },
});

const same = (key: string, name: string, words: readonly string[]): TruthTask => ({
  key: `fashion.same-${key}`,
  collections: ['fashion.products'],
  intent: [['same', 'match'], words],
  truth: { rule: 'pair', left: name, right: name, relation: 'equal' },
});

const colourWords = ['colour', 'color'];
const typeWords = ['article', 'type of', 'sub-category', 'subcategory', 'category', 'kind of', 'garment'];

const tasks: readonly TruthTask[] = [
  field('colour', 'baseColour', colourWords),
  field('type', 'articleType', typeWords),
  field('sub-category', 'subCategory', ['sub-category', 'subcategory', 'apparel']),
  field('category', 'masterCategory', ['master category', 'master-category']),
  field('gender', 'gender', ['gender', 'for whom', 'men or women']),
  field('season', 'season', ['season']),
  field('usage', 'usage', ['usage', 'occasion', 'worn for']),
  same('colour', 'baseColour', colourWords),
  same('type', 'articleType', typeWords),
];

/**
 * The fashion pictures with their catalogue's attributes. Evidence: the title, which is not in the picture, names the
 * colour or the type too, so that two sources agree. Rows are known by the picture, by the title and by its file name.
 */
export function fashionTruth(folder: string): TruthData {
  const tuples = csv(folder, 'fashion-1k', 'styles.csv').map((row): TruthTuple => {
    const id = text(row, 'id');
    const title = text(row, 'productDisplayName');
    const hash = fileHash(folder, 'fashion-1k', 'images', `${id}.jpg`);
    const names = (word: string): number =>
      title.toLowerCase().includes(word.toLowerCase().replace(/s$/, '')) ? 0.8 : 0.3;
    const columns = ['gender', 'masterCategory', 'subCategory', 'articleType', 'baseColour', 'season', 'usage'];
    return {
      id,
      collection: 'fashion.products',
      values: [title, `${id}.jpg`],
      ...(hash === undefined ? {} : { media: [hash] }),
      fields: Object.fromEntries(columns.map((column) => [column, text(row, column)])),
      evidence: {
        baseColour: names(text(row, 'baseColour')),
        articleType: names(text(row, 'articleType')),
        subCategory: names(text(row, 'articleType')),
      },
      about: text(row, 'articleType'),
    };
  });
  return { tuples, tasks };
}
