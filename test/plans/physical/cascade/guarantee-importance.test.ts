import { testGuarantee } from './guarantee.js';

testGuarantee('importance', ['informative', 'sharp', 'skewed']);
