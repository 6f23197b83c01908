import { describe } from 'vitest';
import { accessTests } from './access.ts';
import { boundaryTests } from './boundaries.ts';
import { boundTests } from './bounds.ts';
import { deploymentTests } from './deployments.ts';
import { failureTests } from './failures.ts';
import { smoothPageTests } from './smooth-pages.ts';
import { useStage } from './stage.ts';

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
describe('every page', () => {
  accessTests(stage);
  boundTests(stage);
});
describe('a page that is loaded', () => {
  smoothPageTests(stage);
});
