import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { createFaults, type FaultOf } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';
import { agentModel } from '#test/agents/agent-model.ts';
import { beginConversation } from '#test/agents/owner.ts';
import { done, type Step } from '#test/models/scripted-model.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { chatEnd, chatPiece, textReader, useScriptedService } from '#test/service/scripted-service.ts';
import { code } from '#test/service/service.ts';

const service = useScriptedService({ families: {}, deadlineMs: 20_000 });

/** Streams for longer than a cancellation needs to reach it. */
function* slowly(): Generator<Step> {
  for (let count = 0; count < 100; count++) {
    yield chatPiece('Grüß ');
    yield () => sleep(50);
  }
}

const begin = (about?: object) => beginConversation(service, about);

/** Makes the model hold its reply until the promise is resolved. */
function holdReply(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>();
  const { engine } = agentModel(() => 'Hello');
  service.model.becomes({
    async invoke(body, signal) {
      await gate.promise;
      return engine.invoke(body, signal);
    },
  });
  return gate;
}

const reply = (content: string, more: object = {}) => ({
  choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason: 'stop' }],
});

describe('messages to one conversation', () => {
  it('return 409 without a charge while another is running', async () => {
    const { conversation } = await begin();
    const held = holdReply();
    const charged = await service.charged(async () => {
      const first = conversation.write('first');
      await expect.poll(async () => (await conversation.get()).status, { timeout: 15_000 }).toBe('running');
      const others = await Promise.all(Array.from({ length: 8 }, () => conversation.write('other')));
      expect(new Set(others.map(code))).toEqual(new Set(['409 REQUEST_IN_PROGRESS']));
      for (const { headers } of others) expect(headers.get('retry-after')).toBe('1');
      held.resolve();
      expect(code(await first)).toBe('200 SUCCESS');
    });
    expect(charged).toBe(1_000_000);
    expect((await conversation.get()).messages.items.map(({ content }: any) => content)).toEqual(['Hello', 'first']);
  });

  it('either succeed and are charged or return 409 if they are sent concurrently', async () => {
    const { conversation } = await begin();
    service.model.becomes(agentModel(() => 'Hello').engine);
    let kept = 0;
    const charged = await service.charged(async () => {
      const codes = (await Promise.all(Array.from({ length: 20 }, () => conversation.write('hello')))).map(code);
      kept = codes.filter((one) => one === '200 SUCCESS').length;
      expect(new Set(codes.filter((one) => one !== '200 SUCCESS'))).toEqual(new Set(['409 REQUEST_IN_PROGRESS']));
    });
    expect(kept).toBeGreaterThan(0);
    expect([charged, (await conversation.get()).messageCount]).toEqual([kept * 1_000_000, 2 * kept]);
  });

  it('with one Idempotency-Key create one turn, and repeats return its reply', async () => {
    const { owner, conversation } = await begin();
    service.model.becomes(agentModel(() => 'Hello').engine);
    const options = { key: owner.key, body: { content: 'once' }, headers: { 'idempotency-key': 'once' } };
    const send = () => service.calls.call('POST', `${conversation.path}/messages`, options);
    let responses: Awaited<ReturnType<typeof send>>[] = [];
    expect(await service.charged(async () => (responses = [await send(), await send(), await send()]))).toBe(1_000_000);
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await conversation.get()).messageCount).toBe(2);
  });
});

describe('a model', () => {
  const hostile: [what: string, response: object, status: number][] = [
    ['that fails', { error: 'broken' }, 500],
    ['that returns no reply', { choices: [] }, 200],
    ['that returns something else', { hello: 'there' }, 200],
    [
      'that calls a function that the agent does not have',
      reply('', { tool_calls: [{ id: '1', type: 'function', function: { name: 'rm', arguments: '{}' } }] }),
      200,
    ],
    ['whose reply is too long to be stored', reply('a'.repeat(400_000)), 200],
  ];

  it.each(hostile)('%s costs nothing, stores nothing, and the conversation continues', async (_, response, status) => {
    const { conversation } = await begin();
    service.model.responds(response, status);
    const charged = await service.charged(async () => {
      const failed = await conversation.write('Hello');
      expect(failed.status).toBeGreaterThanOrEqual(500);
      expect(failed.body.message).toMatch(/^(MODEL_ERROR|SERVICE_UNAVAILABLE)$/);
    });
    expect([charged, await conversation.get()]).toMatchObject([0, { status: 'idle', messageCount: 0 }]);
    service.model.becomes(agentModel(() => 'Hello').engine);
    expect(code(await conversation.write('Hello'))).toBe('200 SUCCESS');
  });

  it.each<[when: string, pieces: readonly object[], charge: number]>([
    ['before any text costs nothing', [], 0],
    ['after some text is charged as a chat', [chatPiece('Grüß')], 1_000_000],
  ])('whose stream breaks %s, stores nothing, and the conversation continues', async (_, pieces, charge) => {
    const { conversation } = await begin();
    service.model.streams([...pieces, new Error('broken')]);
    let envelopes: any[] = [];
    const charged = await service.charged(async () => (envelopes = await conversation.stream({ content: 'Hello' })));
    expect(envelopes.at(-1)).toMatchObject({ message: 'MODEL_ERROR', error: true });
    expect([charged, await conversation.get()]).toMatchObject([charge, { status: 'idle', messageCount: 0 }]);
    service.model.becomes(agentModel(() => 'Hello').engine);
    expect(code(await conversation.write('Hello'))).toBe('200 SUCCESS');
  });

  it('that streams endlessly is stopped, and its output becomes the reply', async () => {
    const { conversation } = await begin({ maxTokens: 20 });
    service.model.streams(Array.from({ length: 20_000 }, () => chatPiece('word ')));
    const envelopes = await conversation.stream({ content: 'Hello' });
    expect(envelopes.at(-1)).toMatchObject({ message: 'STREAM_COMPLETE' });
    expect(envelopes.length).toBeLessThan(1000);
    expect(await conversation.get()).toMatchObject({ status: 'idle', messageCount: 2 });
  });
});

describe('an interrupted stream', () => {
  it('is completed, stored and charged in full after a client disconnect', async () => {
    const { conversation } = await begin();
    const rest = Promise.withResolvers<void>();
    service.model.streams([chatPiece('Grüß'), () => rest.promise, chatPiece(' dich'), chatEnd, done]);
    const charged = await service.charged(async () => {
      const leaving = new AbortController();
      const body = { content: 'Hello', stream: true };
      const response = await service.open(`${conversation.path}/messages`, body, leaving.signal);
      await textReader(response)((text) => text.includes('Grüß'));
      leaving.abort();
      await sleep(50);
      expect((await conversation.get()).status).toBe('running');
      rest.resolve();
      await expect.poll(async () => (await conversation.get()).status, { timeout: 15_000 }).toBe('idle');
    });
    const { items } = (await conversation.get()).messages;
    expect([charged, items[0].content]).toEqual([1_000_000, 'Grüß dich']);
  });

  it('is charged but not stored if it is cancelled after its first piece', async () => {
    const { owner, conversation } = await begin();
    service.model.streams(slowly());
    const charged = await service.charged(async () => {
      const response = await service.open(`${conversation.path}/messages`, { content: 'Hello', stream: true });
      const id = response.headers.get('x-request-id');
      const read = textReader(response);
      await read((text) => text.includes('Grüß'));
      expect(code(await owner.call('POST', `/v1/requests/${id}/cancel`))).toBe('200 SUCCESS');
      expect(await read(() => false)).toContain('REQUEST_CANCELLED');
    });
    expect([charged, await conversation.get()]).toMatchObject([1_000_000, { status: 'idle', messageCount: 0 }]);
  });
});

it('a turn whose conversation is deleted while it runs returns 404 without a charge', async () => {
  const { owner, conversation } = await begin();
  const held = holdReply();
  const charged = await service.charged(async () => {
    const sent = conversation.write('first');
    await expect.poll(async () => (await conversation.get()).status, { timeout: 15_000 }).toBe('running');
    expect(code(await owner.call('DELETE', conversation.path))).toBe('200 SUCCESS');
    held.resolve();
    expect(code(await sent)).toBe('404 NOT_FOUND');
  });
  expect(charged).toBe(0);
});

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
  const { conversation } = await begin();
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
  const { conversation } = await begin();
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
