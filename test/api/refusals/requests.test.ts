import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { times } from '#test/many.ts';
import { refusedWith } from '#test/requests/refusals.ts';
import { chat, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
const chatPath = '/v1/chat/completions';

/** The account's item, to show that a refusal does not change it. */
const fingerprint = async () => {
  const { spendable, admitted, seq, holds } = (await services().metering().find(person.id))!;
  return createHash('sha256')
    .update(JSON.stringify({ spendable, admitted, seq, holds: holds.size }))
    .digest('hex');
};

describe('a chat request', () => {
  const deep = (levels: number) => `{"model":"svc-1","messages":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const message = { role: 'user', content: 'Hi' };
  const weather = { name: 'weather', parameters: { type: 'object' } };
  const other = { name: 'x' };
  const of = (messages: unknown) => ({ model: 'svc-1', messages });
  const raw = (more: string, content = 'Hi') =>
    `{"model":"svc-1","messages":[{"role":"user","content":"${content}"}]${more}}`;

  it.each([
    ['no model', { messages: [message] }, /^model is required/],
    ['an unknown model', { ...chat(), model: 'gpt-4' }, /^model must name a model for chat: svc-1, .* or svc-code\.$/],
    ['a model of another kind', { ...chat(), model: 'svc-embed' }, /^model must name/],
    ['a model named like a prototype', { ...chat(), model: 'constructor' }, /^model must name/],
    ['no messages', { model: 'svc-1' }, /^messages is required/],
    ['empty messages', of([]), /^messages must not be empty/],
    ['messages that are no list', of('Hi'), /^messages must be a list/],
    ['a message that is no object', of(['Hi']), /^messages\.0 must be an object/],
    ['no role', of([{ content: 'Hi' }]), /^messages\.0\.role must be/],
    ['no content', of([{ role: 'user' }]), /^messages\.0\.content is required/],
    ['an assistant message with neither', of([{ role: 'assistant' }]), /^messages\.0 must have content/],
    ['content that is no text', of([{ role: 'user', content: 5 }]), /^messages\.0\.content must be a string/],
    ['an invalid role', of([{ role: 'wizard', content: 'Hi' }]), /^messages\.0\.role must be/],
    ['a function result without name', of([{ role: 'function', content: '1' }]), /^messages\.0\.name is required/],
    ['too many messages', of(times(2049, () => message)), /^messages must have at most 2048/],
    ['temperature above 2', { ...chat(), temperature: 2.1 }, /^temperature must be at most 2/],
    ['temperature below 0', { ...chat(), temperature: -0.1 }, /^temperature must be at least 0/],
    ['temperature as text', { ...chat(), temperature: '1' }, /^temperature must be a number/],
    ['max_tokens 0', { ...chat(), max_tokens: 0 }, /^max_tokens must be positive/],
    ['max_tokens as fraction', { ...chat(), max_tokens: 1.5 }, /^max_tokens must be an integer/],
    ['max_tokens as text', { ...chat(), max_tokens: '5' }, /^max_tokens must be a number/],
    ['top_p above 1', { ...chat(), top_p: 1.5 }, /^top_p must be at most 1/],
    ['top_k 0', { ...chat(), top_k: 0 }, /^top_k must be positive/],
    ['a penalty below -2', { ...chat(), presence_penalty: -2.5 }, /^presence_penalty must be at least -2/],
    ['five stops', { ...chat(), stop: ['a', 'b', 'c', 'd', 'e'] }, /^stop must have at most 4/],
    ['an empty stop', { ...chat(), stop: [''] }, /^stop must be/],
    ['stream as text', { ...chat(), stream: 'yes' }, /^stream must be true or false/],
    ['129 functions', { ...chat(), functions: times(129, () => weather) }, /^functions must have at most 128/],
    ['a function without name', { ...chat(), functions: [{}] }, /^functions\.0\.name is required/],
    [
      'a call of a function not offered',
      { ...chat(), functions: [weather], function_call: other },
      /^function_call must name/,
    ],
    ['a lone surrogate', raw('', '\\ud800'), /well-formed/],
    ['a number that overflows', raw(',"temperature":1e400'), /^temperature must be/],
    ['no JSON', 'model=svc-1', /valid JSON/],
    ['an array', '[]', /JSON object/],
    ['null', 'null', /JSON object/],
    ['nothing', '', /JSON object/],
    ['a byte order mark', '\ufeff{}', /valid JSON/],
    ['too deep', deep(40), /at most 32 levels/],
    ['far too deep', deep(100_000), /at most 32 levels/],
    ['a key twice', raw(',"model":"svc-1-32k"'), /"model" twice/],
    ['a key twice, once escaped', raw(',"\\u006dodel":"svc-code"'), /"model" twice/],
    ['__proto__', raw(',"__proto__":{"a":1}'), /__proto__/],
  ])('returns 400 with the field for %s, costs nothing and stores nothing', async (_, body, detail) => {
    const before = await fingerprint();
    const response = await service.call('POST', chatPath, { key: person.key, body });
    expect(refusedWith(response)).toBe('400 INVALID_FORMAT');
    expect(response.body.detail).toMatch(detail);
    expect(await fingerprint()).toBe(before);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('returns 400 if it is not UTF-8', async () => {
    const headers = { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' };
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    const reply = await fetch(service.origin + chatPath, { method: 'POST', headers, body });
    expect([reply.status, ((await reply.json()) as { message: string }).message]).toEqual([400, 'INVALID_FORMAT']);
  });

  it('accepts unknown fields, a key named constructor, and null for fields that default to null', async () => {
    const body = { ...chat(), stop: null, functions: null, function_call: null, constructor: { x: 1 }, whatever: [] };
    expect((await service.call('POST', chatPath, { key: person.key, body })).status).toBe(200);
  });
});

/**
 * Returns the status and code of a POST with exactly these headers. Adds `Host` and `Content-Length` if they are
 * missing.
 */
async function send(path: string, headers: readonly string[], body: string): Promise<string> {
  const { port } = new URL(service.origin);
  const has = (name: string) => headers.some((header) => header.toLowerCase().startsWith(`${name}:`));
  const sent = [
    ...(has('host') ? [] : [`Host: 127.0.0.1:${port}`]),
    ...(has('content-length') || has('transfer-encoding') ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
    'Connection: close',
  ];
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`POST ${path} HTTP/1.1\r\n${sent.join('\r\n')}\r\n\r\n${body}`);
  const response = await text(socket);
  const { status, message } = JSON.parse(/\{.*\}/s.exec(response)?.[0] ?? '');
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  return `${status} ${message}`;
}

describe('a repeated header', () => {
  const json = 'Content-Type: application/json';
  const body = JSON.stringify(chat());
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const key = () => `Authorization: Bearer ${person.key}`;

  it.each<[string, () => string[], string]>([
    ['no repetition', () => [key(), json], '200 SUCCESS'],
    ['Host', () => [key(), json, `Host: ${new URL(service.origin).host}`, 'Host: evil.example'], '400 INVALID_FORMAT'],
    ['Authorization', () => [key(), key(), json], '401 INVALID_API_KEY'],
    ['Authorization, one of them forged', () => ['Authorization: Bearer x', key(), json], '401 INVALID_API_KEY'],
    ['Content-Type', () => [key(), json, json], '415 UNSUPPORTED_MEDIA_TYPE'],
    ['Content-Length', () => [key(), json, length, length], '400 INVALID_FORMAT'],
    ['Content-Length, with another value', () => [key(), json, length, 'Content-Length: 3'], '400 INVALID_FORMAT'],
    [
      'Content-Length and Transfer-Encoding',
      () => [key(), json, length, 'Transfer-Encoding: chunked'],
      '400 INVALID_FORMAT',
    ],
    ['Idempotency-Key', () => [key(), json, 'Idempotency-Key: a', 'Idempotency-Key: a'], '400 INVALID_FORMAT'],
  ])('%s', async (_, headers, expected) => {
    expect(await send('/v1/chat/completions', headers(), body)).toBe(expected);
  });

  it.each<[string, () => string[], string]>([
    ['no repetition', () => [`Origin: ${service.origin}`], '201 SUCCESS'],
    [
      'our own Origin and a foreign one',
      () => [`Origin: ${service.origin}`, 'Origin: http://evil.example'],
      '403 INSUFFICIENT_PERMISSIONS',
    ],
    [
      'a foreign Origin and our own',
      () => ['Origin: http://evil.example', `Origin: ${service.origin}`],
      '403 INSUFFICIENT_PERMISSIONS',
    ],
    [
      'Sec-Fetch-Site',
      () => ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
      '403 INSUFFICIENT_PERMISSIONS',
    ],
  ])('with a session cookie: %s', async (_, headers, expected) => {
    const cookie = [`Cookie: ${person.cookie}`, 'Content-Type: application/json'];
    expect(await send('/api/keys', [...cookie, ...headers()], JSON.stringify({ name: 'once' }))).toBe(expected);
  });

  it('is merged into one header with all pairs if it is Cookie', async () => {
    const headers = ['Cookie: theme=dark', `Cookie: ${person.cookie}`, 'Content-Type: application/json'];
    expect(await send('/api/keys', headers, JSON.stringify({ name: 'twice' }))).toBe('201 SUCCESS');
  });
});
