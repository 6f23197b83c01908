import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { operatorTests } from './pages.ts';
import { operatorWalkTests } from './walk.ts';

const stage = useStage();

describe('the pages of operators', () => {
  operatorTests(stage);
});
describe('the work of an operator', () => {
  operatorWalkTests(stage);
});
