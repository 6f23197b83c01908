import { describe } from 'vitest';
import { interruptionTests } from './interruptions.ts';
import { playgroundTests } from './playground.ts';
import { analysisTests } from './playground/analysis.ts';
import { chatTests } from './playground/chat.ts';
import { compareTests } from './playground/compare.ts';
import { getCodeTests } from './playground/get-code.ts';
import { markdownTests } from './playground/markdown.ts';
import { presetTests } from './playground/presets.ts';
import { useStage } from './stage.ts';

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
