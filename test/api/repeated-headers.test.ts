import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { chat, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 4 });

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
