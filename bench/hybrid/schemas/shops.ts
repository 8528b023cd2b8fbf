/** Local shops and opinions of them: 1,040 rows a table on average, as PLOP's GoogleLocal. */
import { type HybridSchema, range } from './table.js';

const [shops, opinions] = [80, 2000];

export const localShops: HybridSchema = {
  name: 'shops',
  tables: [
    {
      name: 'shops',
      rows: range(shops).map((id) => ({
        ...{ id, state: `state ${id % 8}`, rating: 1 + ((id * 7) % 5), hours: 20 + ((id * 13) % 60) },
        description: `The shop with number S ${id} on floor ${id % 5}.`,
      })),
      asked: { column: 'description', shares: { bakery: 0.2, repairs: 0.15, luxury: 0.1 } },
    },
    {
      name: 'opinions',
      rows: range(opinions).map((id) => ({
        ...{ id, shop: Math.floor(shops * 1.25 * (id / opinions)), rating: 1 + ((id * 11) % 5), month: 1 + (id % 12) },
        txt: `Opinion O ${id} was typed on keyboard ${id % 21}.`,
      })),
      asked: { column: 'txt', shares: { parking: 0.1, friendly: 0.45, overpriced: 0.2 } },
    },
  ],
  pairs: [],
};
