import { testGuarantee } from './guarantee.js';

testGuarantee('uniform', ['informative', 'sharp', 'skewed', 'discrete', 'all positive']);
