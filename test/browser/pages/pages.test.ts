import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { boundaryTests, deploymentTests } from './boundaries.ts';
import { failureTests } from './failures.ts';
import { frontPageTests } from './front-page.ts';

useStage();
describe.each([
  ['the public pages', frontPageTests],
  ['when something is wrong', failureTests],
  ['a page that fails', boundaryTests],
  ['a deployment under an open page', deploymentTests],
])('%s', (_, tests) => {
  tests();
});
