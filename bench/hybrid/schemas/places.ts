/** Places, their guests and what they wrote: 1,594 rows a table on average, as PLOP's Yelp. */
import { type HybridSchema, range } from './table.js';

const [places, guests, visits] = [300, 1000, 3482];

export const placesAndVisits: HybridSchema = {
  name: 'places',
  tables: [
    {
      name: 'places',
      rows: range(places).map((id) => ({
        ...{ id, city: `city ${id % 25}`, stars: 1 + ((id * 7) % 5), open: id % 10 === 0 ? 0 : 1 },
        about: `The place with sign P ${id} in street ${id % 13}.`,
      })),
      asked: { column: 'about', shares: { cozy: 0.3, family: 0.4, vegan: 0.15 }, topics: 12 },
    },
    {
      name: 'guests',
      rows: range(guests).map((id) => ({
        ...{ id, since: 2005 + ((id * 3) % 18), fans: (id * id) % 97 },
        profile: `Profile G ${id}, last seen at gate ${id % 11}.`,
      })),
      asked: { column: 'profile', shares: { local: 0.25, critical: 0.1 }, topics: 12 },
    },
    {
      name: 'visits',
      rows: range(visits).map((id) => ({
        ...{ id, place: Math.floor(places * (id / visits) ** 2), guest: (id * 37) % (guests * 0.6) },
        ...{ stars: 1 + ((id * 11) % 5), useful: (id * 19) % 30, year: 2010 + ((id * 5) % 14) },
        txt: `Visit note V ${id} from table ${id % 17}.`,
      })),
      asked: {
        ...{ column: 'txt', shares: { praising: 0.5, dirty: 0.12, service: 0.3 } },
        scores: ['anger'],
      },
    },
  ],
  pairs: [{ left: 'guests', right: 'places', word: 'would suit' }],
};
