import { describe } from 'vitest';
import { usePaidService } from './payments-stage.ts';
import { stateTests } from './states.ts';
import { walkTests } from './walk.ts';

usePaidService();
describe.each([
  ['the states of payments', stateTests],
  // Moves the clock at the end.
  ['a purchase', walkTests],
])('%s', (_, tests) => {
  tests();
});
