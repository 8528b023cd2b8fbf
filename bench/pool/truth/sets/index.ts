import type { TruthData } from '../types.js';
import { carsTruth } from './cars.js';
import { fashionTruth } from './fashion.js';
import { mmqaTruth } from './mmqa.js';
import { movieTruth } from './movie.js';
import { wildlifeTruth } from './wildlife.js';

/** Truth of the data sets, by name: each reads its folder below the data folder (`FERMATA_DATA`). */
export const truthSets: Readonly<Record<string, (folder: string) => TruthData>> = {
  movie: movieTruth,
  cars: carsTruth,
  mmqa: mmqaTruth,
  wildlife: wildlifeTruth,
  fashion: fashionTruth,
};
