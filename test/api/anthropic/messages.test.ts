import { describe, expect, it } from 'vitest';
import { done } from '#test/models/scripted-model.ts';
import {
  chatEnd,
  chatPiece,
  pieces,
  textReader,
  tokensOf,
  useScriptedService,
} from '#test/service/scripted-service.ts';

const path = '/anthropic/v1/messages';
const body = { model: 'svc-1', max_tokens: 50, messages: [{ role: 'user', content: 'Say "it"' }] };
const streaming = { ...body, stream: true };
const output = pieces.join('');
const whole = (more: object = {}) => ({
  choices: [{ message: { content: output }, finish_reason: 'stop' }],
  ...more,
});

const service = useScriptedService();

/** The events of a stream, each after its name. */
function eventsOf(text: string): any[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      const parsed = JSON.parse(data);
      expect(name).toBe(parsed.type);
      return parsed;
    });
}

describe('a message', () => {
  it('costs the same as a chat on /v1, with and without streaming, and reports its charge', async () => {
    const costs: number[] = [];
    for (const at of ['/v1/chat/completions', path]) {
      service.model.responds(whole());
      costs.push((await service.priced(at, body)).cost);
      service.model.streams([...pieces.map(chatPiece), chatEnd, done]);
      costs.push((await service.priced(at, streaming)).cost);
    }
    expect(costs).toEqual(costs.map(() => 1_000_000));
    service.model.responds(whole());
    const reply = await service.open(path, body);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'request-id': reply.headers.get('x-request-id'),
      'x-credits-charged': '1',
      'x-ratelimit-limit-requests': expect.any(String),
    });
    service.model.streams([chatPiece('Hi'), chatEnd, done]);
    const stream = await service.open(path, streaming);
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'request-id': stream.headers.get('x-request-id'),
      'x-credits-held': '1',
    });
    await stream.text();
  });

  it.each<[string, object | undefined]>([
    ['no usage', undefined],
    ['negative usage', { prompt_tokens: -1, completion_tokens: -1 }],
    ['more output than was requested', { prompt_tokens: 5, completion_tokens: 51 }],
    ['a prompt beyond the window', { prompt_tokens: 5000, completion_tokens: 4 }],
    [
      'more cached tokens than input',
      { prompt_tokens: 5, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } },
    ],
  ])('has the usage that count_tokens returns if the model reports %s', async (_, usage) => {
    const { max_tokens: _max, ...prompt } = body;
    const { body: counted } = await service.plain(`${path}/count_tokens`, prompt);
    const expected = { input_tokens: counted.input_tokens, output_tokens: await tokensOf(output) };
    expect(expected.input_tokens).toBeGreaterThan(3);
    service.model.responds(whole(usage && { usage }));
    const { usage: ofWhole } = (await service.plain(path, body)).body;
    expect(ofWhole).toMatchObject({ input_tokens: expected.input_tokens });
    service.model.streams([...pieces.map(chatPiece), chatEnd, ...(usage ? [{ choices: [], usage }] : []), done]);
    const events = eventsOf((await service.priced(path, streaming)).text);
    expect(events[0].message.usage).toMatchObject({ input_tokens: expected.input_tokens });
    expect(events.at(-2).usage).toMatchObject(expected);
  });

  it('contains the matched stop sequence if the model reports it', async () => {
    const ended = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }] };
    service.model.streams([chatPiece('Hi'), ended, done]);
    const { text } = await service.priced(path, { ...streaming, stop_sequences: ['END'] });
    expect(eventsOf(text).at(-2).delta).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' });
  });
});

describe('a stream that fails', () => {
  it.each<[string, () => object | string | Error]>([
    ['breaks off', () => new Error('broken')],
    ['reports an error', () => ({ error: { message: 'CUDA', code: 500 } })],
    ['sends no JSON', () => 'data: {"choices":[\n\n'],
  ])('after its first event ends with an error event, and is charged for its text: the model %s', async (_, step) => {
    service.model.streams([chatPiece('Hi'), step()]);
    const { status, text, cost } = await service.priced(path, streaming);
    const events = eventsOf(text);
    expect([status, cost]).toEqual([200, 1_000_000]);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'error',
    ]);
    expect(events.at(-1).error).toEqual({ type: 'api_error', message: expect.stringMatching(/^.{10,}\.$/) });
  });

  it('before its first event returns 502 and is not charged', async () => {
    service.model.streams([{ choices: [{ index: 0, delta: { role: 'assistant' } }] }, new Error('broken')]);
    expect(await service.priced(path, streaming)).toMatchObject({ status: 502, cost: 0 });
  });
});

it('arguments that are not a JSON object return 502 without a charge, unless a stream has begun', async () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":' } };
  const ended = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
  service.model.responds({ choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] });
  expect(await service.priced(path, { ...body, tools })).toMatchObject({ status: 502, cost: 0 });
  service.model.streams([{ choices: [{ index: 0, delta: { tool_calls: [call] } }] }, ended, done]);
  const { status, cost, text } = await service.priced(path, { ...streaming, tools });
  expect([status, cost, eventsOf(text).at(-1).type]).toEqual([200, 1_000_000, 'error']);
});

describe('a client that disconnects', () => {
  it('is charged for the delivered text, or nothing before the first piece', async () => {
    const cutAfter = (steps: readonly object[], isEnough: (text: string) => boolean) =>
      service.charged(async () => {
        service.model.streams([...steps, () => service.model.ended()]);
        const leaving = new AbortController();
        const opened = service.open(path, streaming, leaving.signal).catch(() => undefined);
        if (steps.length > 0) await textReader((await opened)!)(isEnough);
        else await expect.poll(() => service.model.invocations()).toBeGreaterThan(before);
        leaving.abort();
        await opened;
      });
    const before = service.model.invocations();
    expect(await cutAfter([], () => true)).toBe(0);
    expect(await cutAfter([chatPiece('Hi')], (text) => text.includes('Hi'))).toBe(1_000_000);
    expect(await cutAfter([chatPiece('Hi'), chatEnd], (text) => text.includes('Hi'))).toBe(1_000_000);
  });
});

describe('an Idempotency-Key', () => {
  const send = async (sent: object, key: string) => {
    const response = await fetch(service.origin + path, {
      method: 'POST',
      headers: { 'x-api-key': service.person.key, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(sent),
    });
    const { status, headers } = response;
    return { status, text: await response.text(), replayed: headers.get('idempotent-replayed'), headers };
  };

  it('returns the same message for one charge', async () => {
    service.model.responds(whole());
    const runs = service.model.invocations();
    const texts: unknown[] = [];
    const cost = await service.charged(async () => {
      for (let calls = 0; calls < 2; calls++) {
        const { text, replayed } = await send(body, 'one');
        texts.push([text, replayed]);
      }
    });
    const [[text] = []] = texts as string[][];
    expect(JSON.parse(text!)).toMatchObject({ type: 'message', content: [{ text: output }] });
    expect(texts).toEqual([
      [text, null],
      [text, 'true'],
    ]);
    expect([cost, service.model.invocations() - runs]).toEqual([1_000_000, 1]);
    const other = await send({ ...body, max_tokens: 49 }, 'one');
    expect([other.status, JSON.parse(other.text).error.type]).toEqual([422, 'invalid_request_error']);
    expect(other.headers.get('x-should-retry')).toBe('false');
  });

  it('does not store a stream: a repeat returns 409, which the SDK does not retry', async () => {
    service.model.streams([chatPiece('Hi'), chatEnd, done]);
    expect((await send(streaming, 'two')).status).toBe(200);
    const again = await send(streaming, 'two');
    expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false']);
  });
});

it('count_tokens requires a key, which is checked before the body is read', async () => {
  const count = (headers: Record<string, string>, sent: string) =>
    fetch(`${service.origin}${path}/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: sent,
    });
  expect((await count({}, '{')).status).toBe(401);
  expect((await count({ 'x-api-key': service.person.key }, '{')).status).toBe(400);
  const cost = await service.charged(async () => {
    const { max_tokens: _, ...prompt } = body;
    const long = { ...prompt, messages: [{ role: 'user', content: 'word '.repeat(50_000) }] };
    const response = await count({ 'x-api-key': service.person.key }, JSON.stringify(long));
    expect(await response.json()).toEqual({ input_tokens: expect.toSatisfy((tokens: number) => tokens > 50_000) });
  });
  expect(cost).toBe(0);
});

describe('omitted tools', () => {
  const others = Array.from({ length: 128 }, (_, index) => ({
    type: 'mcp_toolset',
    name: `${index}_`.padEnd(128, 't'),
  }));

  it('are listed in a header, at most 32', async () => {
    service.model.responds(whole());
    const reply = await service.open(path, { ...body, tools: others });
    expect(reply.headers.get('x-tools-left-out')?.split(', ')).toEqual(others.slice(0, 32).map(({ name }) => name));
  });

  it.each(['a\r\nSet-Cookie: x=y', '日本', 'a\u0000', 'a, b', ''])(
    'return 400 if a header cannot contain their type: %j',
    async (type) => {
      const before = service.model.invocations();
      const { status, text, cost } = await service.priced(path, { ...body, tools: [{ type }] });
      expect([status, cost, service.model.invocations() - before]).toEqual([400, 0, 0]);
      expect(JSON.parse(text).error.message).toMatch(/^tools\.0\.type must/);
    },
  );
});
