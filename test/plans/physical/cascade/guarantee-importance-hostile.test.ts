import { testGuarantee } from './guarantee.js';

testGuarantee('importance', [
  'rare 5 %',
  'rare 1 %',
  'uninformative',
  'anti-correlated',
  'buried',
  'none positive',
  'discrete',
  'all positive',
]);
