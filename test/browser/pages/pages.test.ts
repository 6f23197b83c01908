import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { boundaryTests } from './boundaries.ts';
import { deploymentTests } from './deployments.ts';
import { failureTests } from './failures.ts';

const stage = useStage();

describe('when something is wrong', () => {
  failureTests(stage);
});
describe('a page that fails', () => {
  boundaryTests(stage);
});
describe('a deployment under an open page', () => {
  deploymentTests(stage);
});
