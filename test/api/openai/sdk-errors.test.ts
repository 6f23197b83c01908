import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let person: Person;
let client: OpenAI;
beforeAll(async () => {
  service = await startTestService();
  person = await service.person({ planRank: 4 });
});
beforeEach(() => {
  client = clientOf(person.key);
});
afterAll(() => service.close());

const clientOf = (apiKey: string, more: object = {}) =>
  new OpenAI({ apiKey, baseURL: `${service.origin}/openai/v1`, maxRetries: 0, ...more });
const user = (content: string) => [{ role: 'user' as const, content }];

describe('errors', () => {
  const complete = (from: OpenAI, more: object = {}) =>
    from.chat.completions.create({ model: 'svc-1', messages: user('Hello'), ...more });

  async function errorOf(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof OpenAI.APIError)) throw new Error(`no APIError: ${String(error)}`);
    return error;
  }

  it.each([
    ['AuthenticationError', 401, 'authentication_error', 'invalid_api_key', () => complete(clientOf('junk'))],
    ['BadRequestError', 400, 'invalid_request_error', 'invalid_value', () => complete(client, { temperature: 3 })],
    ['BadRequestError', 400, 'invalid_request_error', 'model_not_found', () => complete(client, { model: 'gpt-4' })],
    [
      'BadRequestError',
      400,
      'invalid_request_error',
      'context_length_exceeded',
      () => complete(client, { messages: user('word '.repeat(5000)) }),
    ],
    ['NotFoundError', 404, 'invalid_request_error', 'model_not_found', () => client.models.retrieve('gpt-4')],
    ['NotFoundError', 404, 'invalid_request_error', 'unknown_url', () => client.get('/threads')],
  ] as const)('%s with %i, %s, %s', async (name, status, kind, code, work) => {
    const error = await errorOf(work());
    expect(error).toBeInstanceOf(OpenAI[name]);
    expect(error).toMatchObject({ status, type: kind, code, requestID: expect.stringMatching(/^\w+$/) });
    expect(error.message).toMatch(new RegExp(`^${status} .{10,}\\.$`));
  });

  it('names the field', async () => {
    expect(await errorOf(complete(client, { temperature: 3 }))).toMatchObject({ param: 'temperature' });
    expect(await errorOf(complete(client, { messages: undefined }))).toMatchObject({
      param: 'messages',
      code: 'missing_required_parameter',
    });
  });

  it('403 for a model above the plan, 402 without credits, 429 beyond the rate, with the wait', async () => {
    const free = clientOf((await service.person()).key);
    const forbidden = await errorOf(complete(free, { model: 'svc-1-32k' }));
    expect(forbidden).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(forbidden).toMatchObject({ status: 403, code: 'insufficient_permissions' });

    const poor = await errorOf(complete(clientOf((await service.person({ planRank: 2, credits: 0 })).key)));
    expect(poor).toMatchObject({ status: 402, type: 'insufficient_quota', code: 'insufficient_quota' });
    expect(poor.headers?.get('x-should-retry')).toBe('false');

    for (let calls = 0; calls < 10; calls++) await complete(free);
    const hasty = await errorOf(complete(free));
    expect(hasty).toBeInstanceOf(OpenAI.RateLimitError);
    expect(hasty).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(Number(hasty.headers?.get('retry-after'))).toBeGreaterThan(50);
    expect(hasty.headers?.get('x-should-retry')).toBeNull();
  });

  it.each([
    ['error', 502, 'model_error'],
    ['unavailable', 503, 'service_unavailable'],
  ])(
    'a model that fails with %s is a server error %i, and a retry by the client succeeds',
    async (fault, status, code) => {
      await service.post('/_local/faults', { target: 'sagemaker', fault });
      const error = await errorOf(complete(client));
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect(error).toMatchObject({ status, type: 'server_error', code });
      if (status === 503) return;
      await service.post('/_local/faults', { target: 'sagemaker', fault });
      expect(await complete(clientOf(person.key, { maxRetries: 1 }))).toHaveProperty('choices');
    },
  );

  it('a stream that breaks off throws what happened, in the loop', async () => {
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
    const stream = await client.chat.completions.create({
      model: 'svc-1',
      messages: user('A long story'),
      stream: true,
    });
    let text = '';
    const read = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    })();
    expect(await errorOf(read)).toMatchObject({ type: 'server_error', code: 'model_error' });
    expect(text).not.toBe('');
  });
});
