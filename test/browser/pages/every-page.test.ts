import { describe } from 'vitest';
import { accessTests } from '../accounts/access.ts';
import { useStage } from '../stage.ts';

useStage({ optimizes: true });
describe('every page', () => {
  accessTests();
});
