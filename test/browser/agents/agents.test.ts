import { describe } from 'vitest';
import { useStage } from '../stage.ts';
import { agentTests } from './agents.ts';
import { agentDocumentTests } from './documents.ts';
import { agentTurnTests } from './turns.ts';

useStage();
describe.each([
  ['agents', agentTests],
  ['documents of an agent', agentDocumentTests],
  ['turns of an agent', agentTurnTests],
])('%s', (_, tests) => {
  tests();
});
