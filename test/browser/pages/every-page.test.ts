import { describe } from 'vitest';
import { accessTests } from '../accounts/access.ts';
import { useStage } from '../stage.ts';

useStage();
describe('every page', () => {
  accessTests();
});
