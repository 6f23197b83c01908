import { describe } from 'vitest';
import { usePaidService } from './payments-stage.ts';
import { stateTests } from './states.ts';
import { walkTests } from './walk.ts';

usePaidService();
describe.each([
  ['a purchase', walkTests],
  ['the states of payments', stateTests],
])('%s', (_, tests) => {
  tests();
});
