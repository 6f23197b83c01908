import { describe } from 'vitest';
import { interruptionTests } from '../pages/interruptions.ts';
import { useStage } from '../stage.ts';
import { analysisTests } from './analysis.ts';
import { chatTests } from './chat.ts';
import { compareTests } from './compare.ts';
import { getCodeTests } from './get-code.ts';
import { markdownTests } from './markdown.ts';
import { playgroundTests } from './playground.ts';
import { presetTests } from './presets.ts';

const stage = useStage();

describe('the playground', () => {
  playgroundTests(stage);
});
describe('messages of a chat', () => {
  chatTests(stage);
});
describe('Markdown of a response', () => {
  markdownTests(stage);
});
describe('two models side by side', () => {
  compareTests(stage);
});
describe('code of a request', () => {
  getCodeTests(stage);
});
describe('text analysis', () => {
  analysisTests(stage);
});
describe('presets', () => {
  presetTests(stage);
});
describe('an interrupted response', () => {
  interruptionTests(stage);
});
