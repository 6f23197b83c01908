import { describe } from 'vitest';
import { accessTests } from './access.ts';
import { firstLoadTests } from './first-loads.ts';
import { useStage } from './stage.ts';

const stage = useStage();

describe('every page', () => {
  accessTests(stage);
});
describe('a page that is loaded', () => {
  firstLoadTests(stage);
});
