import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chats, openAiCalls, prompt, texts } from '#test/requests/openai-calls.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let person: Person;
beforeAll(async () => {
  service = await startTestService();
  person = await service.person({ planRank: 4 });
});
afterAll(() => service.close());

const { send, spendable } = openAiCalls(
  () => service,
  () => person,
);

describe('a response', () => {
  it('is the bare object, with the headers of every priced call', async () => {
    const { status, json, headers } = await send(chats, chat());
    expect(status).toBe(200);
    expect(json()).toEqual({
      id: `chatcmpl-${headers.get('x-request-id')}`,
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'svc-1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.stringMatching(/demo/), refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-ratelimit-limit-requests': '2000',
      'x-ratelimit-reset-requests': expect.any(String),
      ratelimit: expect.any(String),
      'x-credits-charged': '1',
      'x-credits-remaining': expect.any(String),
    });
  });

  it('lists the models, and returns one', async () => {
    const list = (await send('/openai/v1/models', undefined, {}, 'GET')).json();
    const enveloped = await service.call('GET', '/v1/models', { key: person.key });
    expect(list).toEqual({ object: 'list', data: enveloped.body.data });
    const one = await send('/openai/v1/models/svc-code', undefined, {}, 'GET');
    expect(one.json()).toEqual(list.data.find(({ id }: { id: string }) => id === 'svc-code'));
  });
});

describe('charges are those of the enveloped operations', () => {
  it.each<[string, string, object]>([
    ['chat', 'chat/completions', chat('Tell me of rivers')],
    [
      'a chat with a function',
      'chat/completions',
      { ...chat(), functions: [{ name: 'hello' }], function_call: { name: 'hello' } },
    ],
    ['a streamed chat', 'chat/completions', { ...chat('Tell me of rivers'), stream: true }],
    ['a completion', 'completions', prompt],
    ['a streamed completion', 'completions', { ...prompt, stream: true }],
    ['embeddings', 'embeddings', texts],
    ['embeddings in base64', 'embeddings', { ...texts, encoding_format: 'base64' }],
  ])('%s', async (_, path, body) => {
    const charges: number[] = [];
    for (const root of ['/v1/', '/openai/v1/']) {
      const before = await spendable();
      const { status, headers } = await send(root + path, body);
      const charged = before - (await spendable());
      expect(status).toBe(200);
      if (!('stream' in body)) expect(Number(headers.get('x-credits-charged'))).toBe(charged / 1_000_000);
      charges.push(charged);
    }
    expect(charges[0]).toBe(charges[1]);
    expect(charges[0]).toBeGreaterThan(0);
  });

  it('and a failing model costs nothing', async () => {
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error' });
    const before = await spendable();
    const { status, headers } = await send(chats, chat());
    expect([status, headers.get('x-credits-charged'), await spendable()]).toEqual([502, '0', before]);
  });
});

describe('an Idempotency-Key', () => {
  it('gives the same response for one charge, and has nothing to do with the same key on /v1', async () => {
    const header = { 'idempotency-key': 'one' };
    const before = await spendable();
    const first = await send(chats, chat(), header);
    const again = await send(chats, chat(), header);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(again.headers.get('x-credits-charged')).toBe('0');
    const enveloped = await send('/v1/chat/completions', chat(), header);
    expect([enveloped.status, enveloped.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(before - (await spendable())).toBe(2_000_000);
  });

  it('is refused for another body and after a stream, and clients are instructed not to retry', async () => {
    const header = { 'idempotency-key': 'two' };
    await send(chats, { ...chat(), stream: true }, header);
    const other = await send(chats, chat('Other'), header);
    const replay = await send(chats, { ...chat(), stream: true }, header);
    expect([other.status, other.json().error.code]).toEqual([422, 'idempotency_key_reused']);
    expect([replay.status, replay.json().error.code]).toEqual([409, 'replay_unavailable']);
    for (const { headers } of [other, replay]) expect(headers.get('x-should-retry')).toBe('false');
  });
});
