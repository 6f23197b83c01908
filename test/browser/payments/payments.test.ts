import { describe } from 'vitest';
import { usePaidService } from './payments-stage.ts';
import { stateTests } from './states.ts';

usePaidService();
describe.each([['the states of payments', stateTests]])('%s', (_, tests) => {
  tests();
});
