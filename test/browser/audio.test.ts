import { describe } from 'vitest';
import { longAudioTests } from './playground/long-audio.ts';
import { speechTextTests } from './playground/speech-text.ts';
import { speechTests } from './playground/speech.ts';
import { useStage } from './stage.ts';

const stage = useStage();

describe('speech and its recognition', () => {
  speechTests(stage);
  speechTextTests(stage);
});
describe('audio of more than a request takes', () => {
  longAudioTests(stage);
});
