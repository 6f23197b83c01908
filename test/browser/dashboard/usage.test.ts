import { describe } from 'vitest';
import { nameTests } from '../accounts/names.ts';
import { composerTests } from '../messages/message-composer.ts';
import { messageTests } from '../messages/messages.ts';
import { dialogTests } from '../pages/dialogs.ts';
import { paletteTests } from '../pages/palette.ts';
import { useStage } from '../stage.ts';
import { keyTests } from './keys.ts';
import { logTests } from './logs.ts';
import { planTests } from './plans.ts';
import { usageTests } from './usage.ts';
import { webhookTests } from './webhooks.ts';

const stage = useStage();

describe('keys', () => {
  keyTests(stage);
});
describe('webhooks', () => {
  webhookTests(stage);
});
describe('messages', () => {
  messageTests(stage);
  composerTests(stage);
});
describe('plans', () => {
  planTests(stage);
});
describe('usage', () => {
  usageTests(stage);
});
describe('request logs', () => {
  logTests(stage);
});
describe('the command palette', () => {
  paletteTests(stage);
});
describe('names and numbers', () => {
  nameTests(stage);
});
describe('dialogs and themes', () => {
  dialogTests(stage);
});
