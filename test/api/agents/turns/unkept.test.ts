import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { createFaults, type FaultOf } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';
import { agentModel } from '#test/agents/agent-model.ts';
import { beginConversation } from '#test/agents/owner.ts';
import { done } from '#test/models/scripted-model.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { chatEnd, chatPiece, type ScriptedService, startScriptedService } from '#test/service/scripted-service.ts';
import { code } from '#test/service/service.ts';

/** What becomes of transactions, such as the one that keeps a turn; jobs make theirs again. */
let fault: FaultOf<'dynamodb'> | undefined;

let service: ScriptedService;
let proxy: Loopback;
let restore: () => void;
beforeAll(async () => {
  service = await startScriptedService({ families: {}, deadlineMs: 20_000 });
  proxy = await startDynamoProxy({
    upstream: process.env['AWS_ENDPOINT_URL_DYNAMODB']!,
    faults: createFaults(),
    onRequest: (operation) => (operation === 'TransactWriteItems' ? fault : undefined),
  });
  restore = withEnvironment({ AWS_ENDPOINT_URL_DYNAMODB: proxy.url });
});
afterEach(() => {
  fault = undefined;
});
afterAll(async () => {
  restore();
  await proxy.close();
  await service.close();
});

it.each<[what: string, kind: FaultOf<'dynamodb'>, messageCount: number]>([
  ['is throttled', 'throttle', 0],
  ['fails', 'unavailable', 0],
  ['arrives, but its response does not', 'lost-reply', 2],
])('a streamed turn whose write %s is charged once, for what was delivered', async (_, kind, messageCount) => {
  const { conversation } = await beginConversation(service);
  const fail = async () => void (fault = kind);
  service.model.streams([chatPiece('Grüß'), fail, chatPiece(' dich'), chatEnd, done]);
  let envelopes: any[] = [];
  const charged = await service.charged(async () => {
    envelopes = await conversation.stream({ content: 'Hello' });
    fault = undefined;
  });
  expect(envelopes.map(({ message }) => message)).toEqual(['STREAM_CHUNK', 'STREAM_CHUNK', 'SERVICE_UNAVAILABLE']);
  expect([charged, await conversation.get()]).toMatchObject([1_000_000, { status: 'idle', messageCount }]);
});

it('a turn as a whole whose write is throttled delivers nothing, and costs nothing', async () => {
  const { conversation } = await beginConversation(service);
  const { engine } = agentModel(() => 'Hello');
  service.model.becomes({
    invoke(body, signal) {
      fault = 'throttle';
      return engine.invoke(body, signal);
    },
  });
  const charged = await service.charged(async () => {
    expect(code(await conversation.write('Hello'))).toBe('503 SERVICE_UNAVAILABLE');
    fault = undefined;
  });
  expect([charged, await conversation.get()]).toMatchObject([0, { status: 'idle', messageCount: 0 }]);
});
