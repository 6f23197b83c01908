import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { guideTests } from './guides.ts';
import { referenceTests } from './reference.ts';

useStage();
describe.each([
  ['the guides', guideTests],
  ['the API reference', referenceTests],
])('%s', (_, tests) => {
  tests();
});
