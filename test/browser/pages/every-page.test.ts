import { describe } from 'vitest';
import { accessTests } from '../accounts/access.ts';
import { useStage } from '../stage.ts';
import { firstLoadTests } from './first-loads.ts';

const stage = useStage();

describe('every page', () => {
  accessTests(stage);
});
describe('a page that is loaded', () => {
  firstLoadTests(stage);
});
