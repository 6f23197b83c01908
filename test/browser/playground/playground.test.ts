import { describe } from 'vitest';
import { interruptionTests } from '../pages/interruptions.ts';
import { useStage } from '../stage.ts';
import { analysisTests } from './analysis.ts';
import { chatTests, compareTests } from './chat.ts';
import { markdownTests } from './markdown.ts';
import { getCodeTests, playgroundTests } from './playground.ts';
import { presetTests } from './presets.ts';

useStage({ optimizes: true });
describe.each([
  ['the playground', playgroundTests],
  ['messages of a chat', chatTests],
  ['Markdown of a response', markdownTests],
  ['two models side by side', compareTests],
  ['code of a request', getCodeTests],
  ['text analysis', analysisTests],
  ['presets', presetTests],
  ['an interrupted response', interruptionTests],
])('%s', (_, tests) => {
  tests();
});
