import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { operatorTests } from './pages.ts';
import { operatorWalkTests } from './walk.ts';

useStage();
describe.each([
  ['the pages of operators', operatorTests],
  ['the work of an operator', operatorWalkTests],
])('%s', (_, tests) => {
  tests();
});
