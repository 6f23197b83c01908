import { describe } from 'vitest';
import { guideTests } from './guides.ts';
import { referenceTests } from './reference.ts';
import { useStage } from './stage.ts';

const stage = useStage();

describe('the guides', () => {
  guideTests(stage);
});
describe('the API reference', () => {
  referenceTests(stage);
});
