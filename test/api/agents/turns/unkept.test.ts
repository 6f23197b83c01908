import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { createFaults, type FaultOf } from '#local/shared/faults.ts';
import { type Loopback } from '#local/shared/loopback.ts';
import { agentModel } from '#test/agents/agent-model.ts';
import { beginConversation } from '#test/agents/owner.ts';
import { done } from '#test/models/scripted-model.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { chatEnd, chatPiece, useScriptedService, textReader } from '#test/service/scripted-service.ts';
import { code } from '#test/service/service.ts';

const service = useScriptedService({ families: {}, deadlineMs: 20_000 });

/** The fault of transactions, such as the one that stores a turn. Jobs retry theirs. */
let fault: FaultOf<'dynamodb'> | undefined;

let proxy: Loopback;
let restore: () => void;
beforeAll(async () => {
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
});

it.each<[what: string, kind: FaultOf<'dynamodb'>, messageCount: number]>([
  ['is throttled', 'throttle', 0],
  ['fails', 'unavailable', 0],
  ['is stored but loses its response', 'lost-reply', 2],
])('a streamed turn whose write %s is charged once, for the delivered text', async (_, kind, messageCount) => {
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

it('an unstreamed turn whose write is throttled returns no reply, and costs nothing', async () => {
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

const begin = (about?: object) => beginConversation(service, about);

it.each(['conversation', 'agent'])('a streamed turn whose %s is deleted during the stream is charged', async (what) => {
  const { owner, conversation } = await begin();
  const rest = Promise.withResolvers<void>();
  service.model.streams([chatPiece('Grüß'), () => rest.promise, chatPiece(' dich'), chatEnd, done]);
  let text = '';
  const charged = await service.charged(async () => {
    const read = textReader(await service.open(`${conversation.path}/messages`, { content: 'Hello', stream: true }));
    text = await read((begun) => begun.includes('Grüß'));
    expect(code(await owner.call('DELETE', what === 'agent' ? owner.path : conversation.path))).toBe('200 SUCCESS');
    rest.resolve();
    text += await read(() => false);
  });
  expect(text).toContain(' dich');
  expect(text).toContain('NOT_FOUND');
  expect(charged).toBe(1_000_000);
});

const toolCall = { index: 0, id: 'x', type: 'function', function: { name: 'rm', arguments: '{}' } };

it.each<[what: string, pieces: readonly object[]]>([
  [
    'calls a function that the agent does not have',
    [{ choices: [{ index: 0, delta: { tool_calls: [toolCall] } }] }, { ...chatEnd }],
  ],
  ['exceeds the length that can be stored', [chatPiece('a'.repeat(310_000)), chatEnd]],
])('a streamed turn that %s is charged for the text before it, and stores nothing', async (_, pieces) => {
  const { conversation } = await begin({ functions: [{ name: 'known' }] });
  service.model.streams([chatPiece('Grüß dich'), ...pieces, done]);
  let envelopes: any[] = [];
  const charged = await service.charged(async () => (envelopes = await conversation.stream({ content: 'Hello' })));
  expect(envelopes[0].data.delta.content).toBe('Grüß dich');
  expect(envelopes.at(-1)).toMatchObject({ message: 'MODEL_ERROR', error: true });
  expect([charged, await conversation.get()]).toMatchObject([1_000_000, { status: 'idle', messageCount: 0 }]);
});
