/** Books, their authors and reviews: 682 rows a table on average, as PLOP's BookReview. */
import { type HybridSchema, range } from './table.js';

const [authors, books, reviews] = [146, 400, 1500];

export const bookReviews: HybridSchema = {
  name: 'books',
  tables: [
    {
      name: 'authors',
      rows: range(authors).map((id) => ({
        ...{ id, country: `country ${id % 12}`, born: 1900 + (id % 90) },
        bio: `The life of the writer with card A ${id} of drawer ${id % 7}.`,
      })),
      asked: { column: 'bio', shares: { living: 0.5, prized: 0.1 } },
    },
    {
      name: 'books',
      rows: range(books).map((id) => ({
        ...{ id, author: (id * 31) % authors, year: 1950 + ((id * 7) % 70), pages: 80 + ((id * 53) % 700) },
        ...{ language: ['English', 'English', 'French', 'Spanish'][id % 4] ?? '' },
        title: `The book with shelf mark B ${id} of hall ${id % 9}.`,
      })),
      asked: { column: 'title', shares: { novel: 0.4, historical: 0.15, children: 0.25 }, topics: 20 },
    },
    {
      name: 'reviews',
      rows: range(reviews).map((id) => ({
        // a quarter of the books has no review, some have many
        ...{ id, book: Math.floor(books * 0.75 * (id / reviews) ** 2), stars: 1 + ((id * 13) % 5) },
        ...{ year: 2000 + ((id * 11) % 24), helpful: (id * 17) % 40 },
        txt: `Review R ${id} was left at desk ${id % 9} by a reader.`,
      })),
      asked: {
        ...{ column: 'txt', shares: { kind: 0.5, spoiling: 0.1, angry: 0.2 }, topics: 20 },
        ...{ labels: { mood: ['praise', 'complaint', 'question'] }, scores: ['warmth'] },
      },
    },
  ],
  pairs: [{ left: 'reviews', right: 'books', word: 'set in the same place' }],
};
