import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { accessTests } from './access.ts';
import { accountTests } from './accounts.ts';
import { addressTests } from './addresses.ts';
import { boundaryTests } from './boundaries.ts';
import { deploymentTests } from './deployments.ts';
import { dialogTests } from './dialogs.ts';
import { failureTests } from './failures.ts';
import { firstStepTests } from './first-steps.ts';
import { interruptionTests } from './interruptions.ts';
import { keyTests } from './keys.ts';
import { limitTests } from './limits.ts';
import { logTests } from './logs.ts';
import { nameTests } from './names.ts';
import { newcomerTests } from './newcomer.ts';
import { paletteTests } from './palette.ts';
import { planTests } from './plans.ts';
import { chatTests } from './playground/chat.ts';
import { compareTests } from './playground/compare.ts';
import { getCodeTests } from './playground/get-code.ts';
import { markdownTests } from './playground/markdown.ts';
import { presetTests } from './playground/presets.ts';
import { playgroundTests } from './playground.ts';
import { referenceTests } from './reference.ts';
import { settingsTests } from './settings.ts';
import { openStage, type Stage } from './stage.ts';
import { usageTests } from './usage.ts';

// One file, so that all share one service and one browser.
let stage: Stage;
const current = () => stage;

beforeAll(async () => {
  stage = await openStage();
}, 60_000);
afterAll(() => stage.close());
afterEach(() => stage.demandQuiet());

describe('a newcomer', () => {
  newcomerTests(current);
});
describe('accounts', () => {
  accountTests(current);
});
describe('the first steps', () => {
  firstStepTests(current);
});
describe('the settings', () => {
  settingsTests(current);
});
describe('the command palette', () => {
  paletteTests(current);
});
describe('keys', () => {
  keyTests(current);
});
describe('limits and alerts', () => {
  limitTests(current);
});
describe('plans', () => {
  planTests(current);
});
describe('usage', () => {
  usageTests(current);
});
describe('request logs', () => {
  logTests(current);
});
describe('the playground', () => {
  playgroundTests(current);
});
describe('messages of a chat', () => {
  chatTests(current);
});
describe('Markdown of a response', () => {
  markdownTests(current);
});
describe('two models side by side', () => {
  compareTests(current);
});
describe('code of a request', () => {
  getCodeTests(current);
});
describe('presets', () => {
  presetTests(current);
});
describe('an interrupted response', () => {
  interruptionTests(current);
});
describe('addresses', () => {
  addressTests(current);
});
describe('dialogs and themes', () => {
  dialogTests(current);
});
describe('names and numbers', () => {
  nameTests(current);
});
describe('the API reference', () => {
  referenceTests(current);
});
describe('when something is wrong', () => {
  failureTests(current);
});
describe('a page that fails', () => {
  boundaryTests(current);
});
describe('a deployment under an open page', () => {
  deploymentTests(current);
});
describe('every page', () => {
  accessTests(current);
});
