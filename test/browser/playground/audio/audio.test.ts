import { describe } from 'vitest';
import { useStage } from '../../stage.ts';
import { longAudioTests } from './long-audio.ts';
import { speechTextTests } from './speech-text.ts';
import { speechTests } from './speech.ts';

const stage = useStage();

describe('speech and its recognition', () => {
  speechTests(stage);
  speechTextTests(stage);
});
describe('audio of more than a request takes', () => {
  longAudioTests(stage);
});
