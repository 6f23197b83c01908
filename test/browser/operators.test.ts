import { describe } from 'vitest';
import { operatorTests } from './operators/pages.ts';
import { operatorWalkTests } from './operators/walk.ts';
import { useStage } from './stage.ts';

const stage = useStage();

describe('the pages of operators', () => {
  operatorTests(stage);
});
describe('the work of an operator', () => {
  operatorWalkTests(stage);
});
