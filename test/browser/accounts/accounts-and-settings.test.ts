import { describe } from 'vitest';
import { firstStepTests } from '../dashboard/first-steps.ts';
import { limitTests } from '../dashboard/limits.ts';
import { localPageTests } from '../dashboard/local-pages.ts';
import { settingsTests } from '../dashboard/settings.ts';
import { useStage } from '../stage.ts';
import { accountTests, languageTests } from './accounts.ts';
import { addressTests } from './addresses.ts';
import { mailTests } from './mails.ts';

useStage();
describe.each([
  ['accounts', accountTests],
  ['the first steps', firstStepTests],
  ['the settings', settingsTests],
  ['limits and alerts', limitTests],
  ['addresses', addressTests],
  ['emails', mailTests],
  ['languages', languageTests],
  ['pages of one machine', localPageTests],
])('%s', (_, tests) => {
  tests();
});
