import { csv } from '../../pool/truth/sets/data.js';
import { movieTruthOf } from '../../pool/truth/sets/movie.js';
import type { Scenario } from '../scenario.js';
import { movieQueries } from './queries.js';
import { reviewsOf } from './reviews.js';

const folder = 'sembench-movie';

/** SemBench Movie at scale factor 2000; larger tables are made of its reviews. */
export const movie: Scenario = {
  name: 'movie',
  folder,
  files: ['Reviews.csv', 'Movies.csv'],
  rows: 2000,
  load(data, rows) {
    const source = csv(data, folder, 'Reviews.csv');
    const reviews = reviewsOf(source, rows);
    return {
      tables: { reviews: { columns: ['id', 'reviewId', 'reviewText'], rows: reviews } },
      truth: movieTruthOf(reviews),
      queries: movieQueries(reviews, csv(data, folder, 'Movies.csv')),
      skipped: [],
      ...(rows > source.length
        ? { synthetic: `rows from ${source.length + 1} on are made of two real reviews with the same flag each` }
        : {}),
    };
  },
};
