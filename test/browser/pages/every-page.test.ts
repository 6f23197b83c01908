import { describe } from 'vitest';
import { accessTests } from '../accounts/access.ts';
import { useStage } from '../stage.ts';
import { firstLoadTests } from './first-loads.ts';

useStage();
describe.each([
  ['every page', accessTests],
  ['a page that is loaded', firstLoadTests],
])('%s', (_, tests) => {
  tests();
});
