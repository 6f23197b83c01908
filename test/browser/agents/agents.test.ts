import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { agentTests } from './agents.ts';
import { agentDocumentTests } from './documents.ts';
import { agentTurnTests } from './turns.ts';

const stage = useStage();

describe('agents', () => {
  agentTests(stage);
});
describe('documents of an agent', () => {
  agentDocumentTests(stage);
});
describe('turns of an agent', () => {
  agentTurnTests(stage);
});
