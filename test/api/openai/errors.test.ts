import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chats, error, openAiCalls, prompt, texts } from '#test/requests/openai-calls.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let person: Person;
beforeAll(async () => {
  service = await startTestService();
  person = await service.person({ planRank: 4 });
});
afterAll(() => service.close());

const { send } = openAiCalls(
  () => service,
  () => person,
);

describe('every error is an error object', () => {
  const sentence = expect.stringMatching(/^.{10,}\.$/s);
  const invalid = 'invalid_request_error';

  it.each<[string, number, object, () => ReturnType<typeof send>]>([
    ['an unknown path', 404, error(sentence, invalid, null, 'unknown_url'), () => send('/openai/v1/threads', {})],
    ['the root', 404, error(sentence, invalid, null, 'unknown_url'), () => send('/openai', {})],
    ['another method', 405, error(sentence, invalid, null, 'method_not_supported'), () => send(chats, {}, {}, 'PUT')],
    ['no JSON', 400, error(sentence, invalid, null, null), () => send(chats, '{')],
    [
      'another type of body',
      415,
      error(sentence, invalid, null, 'unsupported_media_type'),
      () => send(chats, 'x', { 'content-type': 'text/plain' }),
    ],
    [
      'a large body',
      413,
      error(sentence, invalid, null, 'payload_too_large'),
      () => send(chats, ' '.repeat(1_100_000)),
    ],
    [
      'a body too large for the gateway',
      413,
      error(sentence, invalid, null, 'payload_too_large'),
      () => send(chats, ' '.repeat(11_000_000)),
    ],
    [
      'a path that the gateway cannot read',
      400,
      error(sentence, invalid, null, null),
      () => send('/openai/v1/models/%zz', undefined, {}, 'GET'),
    ],
    [
      'no key',
      401,
      error(sentence, 'authentication_error', null, 'invalid_api_key'),
      () => send(chats, chat(), { authorization: '' }),
    ],
    [
      'a session in the place of a key',
      401,
      error(sentence, 'authentication_error', null, 'invalid_api_key'),
      () => send(chats, chat(), { authorization: '', cookie: person.cookie }),
    ],
    ['a missing field', 400, error(sentence, invalid, 'model', 'missing_required_parameter'), () => send(chats, {})],
    [
      'an unknown model in a body',
      400,
      error(sentence, invalid, 'model', 'model_not_found'),
      () => send(chats, { ...chat(), model: 'gpt-4' }),
    ],
    [
      'an unknown model in a path',
      404,
      error(sentence, invalid, 'model', 'model_not_found'),
      () => send('/openai/v1/models/gpt-4', undefined, {}, 'GET'),
    ],
  ])('for %s: %i', async (_, status, expected, work) => {
    const { status: given, json, headers } = await work();
    expect(given).toBe(status);
    expect(json()).toEqual(expected);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('and of two surfaces each keeps its own', async () => {
    const messageOf = async (path: string) => (await send(path, chat())).json();
    expect(await messageOf('/v1/chat/complete')).toHaveProperty('message', 'NOT_FOUND');
    expect(await messageOf('/openaiv1/chat/completions')).toHaveProperty('message', 'NOT_FOUND');
  });
});

describe('what would make another response than there is', () => {
  it.each<[string, object, string, RegExp]>([
    ['completions', { ...prompt, prompt: ['a', 'b'] }, 'prompt', /a list of exactly one/],
    ['completions', { ...prompt, prompt: [1, 2] }, 'prompt', /tokens are not supported/],
    ['completions', { ...prompt, prompt: '' }, 'prompt', /must not be empty/],
    ['completions', { ...prompt, n: 2 }, 'n', /must be 1/],
    ['completions', { ...prompt, best_of: 3 }, 'best_of', /must be 1/],
    ['completions', { ...prompt, echo: true }, 'echo', /must be false/],
    ['completions', { ...prompt, suffix: 'end' }, 'suffix', /not supported/],
    ['embeddings', { ...texts, input: [1, 2] }, 'input', /tokens are not supported/],
    ['embeddings', { ...texts, input: [[1, 2]] }, 'input', /tokens are not supported/],
    ['embeddings', { ...texts, input: [] }, 'input', /must not be empty/],
  ])('%s: %j is refused', async (path, body, param, rule) => {
    const { status, json } = await send(`/openai/v1/${path}`, body);
    expect([status, json()]).toEqual([
      400,
      error(expect.stringMatching(rule), 'invalid_request_error', param, 'invalid_value'),
    ]);
  });

  it.each<[string, object]>([
    [
      'completions',
      { ...prompt, prompt: ['Once upon a time'], n: 1, best_of: 1, echo: false, suffix: null, logprobs: 5 },
    ],
    ['embeddings', { ...texts, encoding_format: null, user: 'someone' }],
    [
      'chat/completions',
      { ...chat(), n: 1, logprobs: true, user: 'someone', temperature: null, tools: [], whatever: 1 },
    ],
  ])('%s: what makes no other response is taken or ignored', async (path, body) => {
    expect((await send(`/openai/v1/${path}`, body)).status).toBe(200);
  });
});
