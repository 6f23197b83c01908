import { describe } from 'vitest';
import { nameTests } from '../accounts/names.ts';
import { composerTests, messageTests } from '../messages/messages.ts';
import { dialogTests } from '../pages/dialogs.ts';
import { paletteTests } from '../pages/palette.ts';
import { useStage } from '../stage.ts';
import { keyTests } from './keys.ts';
import { contentTests, logTests } from './logs.ts';
import { modelTests } from './models.ts';
import { planTests } from './plans.ts';
import { usageTests } from './usage.ts';
import { webhookTests } from './webhooks.ts';

useStage();
describe.each([
  ['keys', keyTests],
  ['webhooks', webhookTests],
  ['messages', messageTests],
  ['messages', composerTests],
  ['models', modelTests],
  ['plans', planTests],
  ['usage', usageTests],
  ['request logs', logTests],
  ['stored prompts', contentTests],
  ['the command palette', paletteTests],
  ['names and numbers', nameTests],
  ['dialogs and themes', dialogTests],
])('%s', (_, tests) => {
  tests();
});
