import { describe } from 'vitest';
import { firstStepTests } from '../dashboard/first-steps.ts';
import { limitTests } from '../dashboard/limits.ts';
import { localPageTests } from '../dashboard/local-pages.ts';
import { settingsTests } from '../dashboard/settings.ts';
import { useStage } from '../stage.ts';
import { accountTests } from './accounts.ts';
import { addressTests } from './addresses.ts';
import { newcomerTests } from './newcomer.ts';

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
describe('pages of one machine', () => {
  localPageTests(stage);
});
