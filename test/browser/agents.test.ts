import { describe } from 'vitest';
import { agentTests } from './agents/agents.ts';
import { agentDocumentTests } from './agents/documents.ts';
import { agentTurnTests } from './agents/turns.ts';
import { useStage } from './stage.ts';

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
