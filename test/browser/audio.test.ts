import { describe } from 'vitest';
import { speechTests } from './playground/speech.ts';
import { useStage } from './stage.ts';

const stage = useStage();

describe('speech and its recognition', () => {
  speechTests(stage);
});
