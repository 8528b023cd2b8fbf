import { testGuarantee } from './guarantee.js';

testGuarantee('uniform', ['rare 5 %', 'rare 1 %', 'uninformative', 'anti-correlated', 'buried', 'none positive']);
