import { describe } from 'vitest';
import { useStage } from '../../stage.ts';
import { longAudioTests } from './long-audio.ts';
import { speechTextTests, speechTests } from './speech.ts';

useStage();
describe.each([
  ['speech and its recognition', speechTests],
  ['speech and its recognition', speechTextTests],
  ['audio of more than a request takes', longAudioTests],
])('%s', (_, tests) => {
  tests();
});
