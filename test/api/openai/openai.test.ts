import { describe, expect, it } from 'vitest';
import { tokenize } from '#local/sagemaker/words.ts';
import { services } from '#runtime/services/container.ts';
import { chat, usePerson, useTestService } from '#test/service/service.ts';

const chats = '/openai/v1/chat/completions';
const prompt = { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 8 };
const texts = { model: 'svc-embed', input: ['a cat', 'a dog'], dimensions: 4 };
const error = (message: unknown, type: string, param: string | null, code: string | null) => ({
  error: { message, type, param, code },
});

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
async function send(path: string, body?: unknown, headers: Record<string, string> = {}, method = 'POST') {
  const reply = await fetch(service.origin + path, {
    method,
    headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  const json = () => JSON.parse(text);
  return { status: reply.status, headers: reply.headers, text, json };
}
const spendable = async () => (await services().metering().find(person.id))?.spendable ?? 0;

describe('an OpenAI response', () => {
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
});

describe('the charge on the OpenAI surface', () => {
  it.each<[string, string, object]>([
    ['chat', 'chat/completions', chat('Tell me of rivers')],
    ['a chat with a function', 'chat/completions', { ...chat(), functions: [{ name: 'hello' }] }],
    ['a streamed chat', 'chat/completions', { ...chat('Tell me of rivers'), stream: true }],
    ['a completion', 'completions', prompt],
    ['a streamed completion', 'completions', { ...prompt, stream: true }],
    ['embeddings', 'embeddings', texts],
    ['embeddings in base64', 'embeddings', { ...texts, encoding_format: 'base64' }],
  ])('equals the charge on /v1 for %s', async (_, path, body) => {
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

  it('is 0 if the model fails', async () => {
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error' });
    const before = await spendable();
    const { status, headers } = await send(chats, chat());
    expect([status, headers.get('x-credits-charged'), await spendable()]).toEqual([502, '0', before]);
  });
});

describe('an Idempotency-Key on the OpenAI surface', () => {
  it('returns the same response for one charge, and is separate from the same key on /v1', async () => {
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

  it('returns 422 for another body and 409 after a stream, and asks clients not to retry', async () => {
    const header = { 'idempotency-key': 'two' };
    await send(chats, { ...chat(), stream: true }, header);
    const other = await send(chats, chat('Other'), header);
    const replay = await send(chats, { ...chat(), stream: true }, header);
    expect([other.status, other.json().error.code]).toEqual([422, 'idempotency_key_reused']);
    expect([replay.status, replay.json().error.code]).toEqual([409, 'replay_unavailable']);
    for (const { headers } of [other, replay]) expect(headers.get('x-should-retry')).toBe('false');
  });
});

describe('an OpenAI error', () => {
  const get = (path: string) => send(path, undefined, {}, 'GET');
  const asText = { 'content-type': 'text/plain' };

  it.each<[string, number, string | null, string | null, () => ReturnType<typeof send>]>([
    ['an unknown path', 404, null, 'unknown_url', () => send('/openai/v1/threads', {})],
    ['the root', 404, null, 'unknown_url', () => send('/openai', {})],
    ['another method', 405, null, 'method_not_supported', () => send(chats, {}, {}, 'PUT')],
    ['a body that is not JSON', 400, null, null, () => send(chats, '{')],
    ['another media type', 415, null, 'unsupported_media_type', () => send(chats, 'x', asText)],
    ['a large body', 413, null, 'payload_too_large', () => send(chats, ' '.repeat(1_100_000))],
    ['a body too large for the gateway', 413, null, 'payload_too_large', () => send(chats, ' '.repeat(11_000_000))],
    ['a path that the gateway cannot read', 400, null, null, () => get('/openai/v1/models/%zz')],
    ['no key', 401, null, 'invalid_api_key', () => send(chats, chat(), { authorization: '' })],
    [
      'a session',
      401,
      null,
      'invalid_api_key',
      () => send(chats, chat(), { authorization: '', cookie: person.cookie }),
    ],
    ['a missing field', 400, 'model', 'missing_required_parameter', () => send(chats, {})],
    ['an unknown model in a body', 400, 'model', 'model_not_found', () => send(chats, { ...chat(), model: 'gpt-4' })],
    ['an unknown model in a path', 404, 'model', 'model_not_found', () => get('/openai/v1/models/gpt-4')],
  ])('for %s has status %i', async (_, status, param, errorCode, work) => {
    const { status: given, json, headers } = await work();
    const type = status === 401 ? 'authentication_error' : 'invalid_request_error';
    expect([given, json()]).toEqual([status, error(expect.stringMatching(/^.{10,}\.$/s), type, param, errorCode)]);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('is returned only below /openai/v1, and the envelope elsewhere', async () => {
    const messageOf = async (path: string) => (await send(path, chat())).json();
    expect(await messageOf('/v1/chat/complete')).toHaveProperty('message', 'NOT_FOUND');
    expect(await messageOf('/openaiv1/chat/completions')).toHaveProperty('message', 'NOT_FOUND');
  });
});

describe('an option of the OpenAI surface', () => {
  it.each<[string, object, string, RegExp]>([
    ['completions', { ...prompt, prompt: ['a', 'b'] }, 'prompt', /a list with one of these/],
    ['completions', { ...prompt, prompt: [[1, 2], [3]] }, 'prompt', /a list with one of these/],
    ['completions', { ...prompt, prompt: [-1] }, 'prompt', /cl100k_base token ids/],
    ['completions', { ...prompt, prompt: '' }, 'prompt', /must not be empty/],
    ['completions', { ...prompt, n: 9 }, 'n', /must be at most 8/],
    ['completions', { ...prompt, best_of: 3 }, 'best_of', /must be 1/],
    ['completions', { ...prompt, echo: true, logprobs: 2 }, 'echo', /together with logprobs/],
    ['completions', { ...prompt, logprobs: 6 }, 'logprobs', /at most 5/],
    ['completions', { ...prompt, suffix: 'end' }, 'suffix', /not supported/],
    ['embeddings', { ...texts, input: [1, 100_256] }, 'input', /from 0 to 100255/],
    ['embeddings', { ...texts, input: [[1, 2], []] }, 'input', /token ids/],
    ['embeddings', { ...texts, input: [[1, 2], 'a'] }, 'input', /token ids/],
    ['embeddings', { ...texts, input: [] }, 'input', /must not be empty/],
  ])('of %s is refused: %j', async (path, body, param, rule) => {
    const { status, json } = await send(`/openai/v1/${path}`, body);
    expect([status, json()]).toEqual([
      400,
      error(expect.stringMatching(rule), 'invalid_request_error', param, 'invalid_value'),
    ]);
  });

  it.each<[string, object]>([
    [
      'completions',
      { ...prompt, prompt: ['Once upon a time'], n: 1, best_of: 1, echo: false, suffix: null, logprobs: null },
    ],
    ['embeddings', { ...texts, encoding_format: null, user: 'someone' }],
    [
      'chat/completions',
      { ...chat(), n: 1, logprobs: true, user: 'someone', temperature: null, tools: [], whatever: 1 },
    ],
  ])('of %s is accepted or ignored if it does not affect the response', async (path, body) => {
    expect((await send(`/openai/v1/${path}`, body)).status).toBe(200);
  });
});

describe('an OpenAI stream', () => {
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  /** The fields that every chunk of the stream shares. */
  const headOf = (text: string) => {
    const { id, object, created, model } = JSON.parse(text.slice('data: '.length, text.indexOf('\n')));
    return { id, object, created, model };
  };

  it('sends exactly the role, deltas, finish reason, usage if requested, and [DONE] for a chat', async () => {
    const body = { ...chat('Tell me of rivers'), max_tokens: 3 };
    const whole = (await send(chats, body)).json();
    const tokens = tokenize(whole.choices[0].message.content);
    for (const include_usage of [false, true]) {
      const { text, headers } = await send(chats, { ...body, stream: true, stream_options: { include_usage } });
      const head = headOf(text);
      expect(head).toEqual({
        id: `chatcmpl-${headers.get('x-request-id')}`,
        object: 'chat.completion.chunk',
        created: expect.any(Number),
        model: 'svc-1',
      });
      const usage = include_usage && { usage: null };
      const chunk = (delta: object, finish_reason: string | null = null) =>
        event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...usage });
      const expected = [
        chunk({ role: 'assistant', content: '', refusal: null }),
        ...tokens.map((content) => chunk({ content })),
        chunk({}, 'length'),
        ...(include_usage ? [event({ ...head, choices: [], usage: whole.usage })] : []),
        'data: [DONE]\n\n',
      ];
      expect(text).toBe(expected.join(''));
      expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(headers.get('x-credits-held')).toBe('1');
    }
  });

  it('sends exactly the texts, finish reason, usage if requested, and [DONE] for a completion', async () => {
    const body = { ...prompt, max_tokens: 3 };
    const whole = (await send('/openai/v1/completions', body)).json();
    const tokens = tokenize(whole.choices[0].text);
    for (const include_usage of [false, true]) {
      const params = { ...body, stream: true, stream_options: { include_usage } };
      const { text } = await send('/openai/v1/completions', params);
      const head = headOf(text);
      expect(head).toMatchObject({ object: 'text_completion', model: 'svc-instruct' });
      const usage = include_usage && { usage: null };
      const chunk = (piece: string, finish_reason: string | null = null) =>
        event({ ...head, choices: [{ text: piece, index: 0, logprobs: null, finish_reason }], ...usage });
      const expected = [
        ...tokens.map((piece) => chunk(piece)),
        chunk('', 'length'),
        ...(include_usage ? [event({ ...head, choices: [], usage: whole.usage })] : []),
        'data: [DONE]\n\n',
      ];
      expect(text).toBe(expected.join(''));
    }
  });

  it.each([
    [chats, chat('A long story')],
    ['/openai/v1/completions', prompt],
  ])(
    'of %s that is interrupted ends with an error without [DONE], and is charged like a stream on /v1',
    async (path, body) => {
      const charges: number[] = [];
      for (const each of [path, path.replace('/openai', '')]) {
        await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
        const before = await spendable();
        const { status, text } = await send(each, { ...body, stream: true });
        charges.push(before - (await spendable()));
        expect(status).toBe(200);
        if (each !== path) continue;
        const last = text.split('\n\n').at(-2) ?? '';
        const sentence = expect.stringMatching(/model .*\.$/);
        expect(JSON.parse(last.replace('data: ', ''))).toEqual(error(sentence, 'server_error', null, 'model_error'));
        expect(text).not.toContain('[DONE]');
      }
      expect(charges[0]).toBe(charges[1]);
      expect(charges[0]).toBeGreaterThan(0);
    },
  );
});
