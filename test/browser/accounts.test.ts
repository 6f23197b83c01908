import { describe } from 'vitest';
import { accountTests } from './accounts.ts';
import { addressTests } from './addresses.ts';
import { firstStepTests } from './first-steps.ts';
import { limitTests } from './limits.ts';
import { newcomerTests } from './newcomer.ts';
import { settingsTests } from './settings.ts';
import { useStage } from './stage.ts';

const stage = useStage();

describe('a newcomer', () => {
  newcomerTests(stage);
});
describe('accounts', () => {
  accountTests(stage);
});
describe('the first steps', () => {
  firstStepTests(stage);
});
describe('the settings', () => {
  settingsTests(stage);
});
describe('limits and alerts', () => {
  limitTests(stage);
});
describe('addresses', () => {
  addressTests(stage);
});
