import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { guideTests } from './guides.ts';
import { referenceTests } from './reference.ts';

const stage = useStage();

describe('the guides', () => {
  guideTests(stage);
});
describe('the API reference', () => {
  referenceTests(stage);
});
