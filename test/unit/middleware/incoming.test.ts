import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { acceptedKind, authorize, idempotencyKeyOf } from '#middleware/incoming.ts';

const kindFor = (...accept: string[]) =>
  acceptedKind({ multiValueHeaders: { Accept: accept } } as unknown as APIGatewayProxyEvent, ['json', 'audio']);

test.each([
  [['audio/*'], 'audio'],
  [['audio/mpeg'], 'audio'],
  [['Audio/*; q=0.5, */*'], 'audio'],
  [['text/html', 'audio/wav'], 'audio'],
  [['application/json, audio/*'], 'audio'],
  [['application/json, audio/*;q=0.9'], 'json'],
  [['audio/*;q=0'], 'json'],
  [['audio/*;q=many'], 'json'],
  [['*/*'], 'json'],
  [[''], 'json'],
  [[], 'json'],
] as const)('Accept %j selects %s if a route has both', (accept, kind) => {
  expect(kindFor(...accept)).toBe(kind);
});

test('a route with one media type returns it for any Accept header', () => {
  const event = { multiValueHeaders: { accept: ['application/json'] } } as unknown as APIGatewayProxyEvent;
  expect(acceptedKind(event, ['audio'])).toBe('audio');
});

const publicOrigin = 'https://ai.example.com';
const gateway = 'abc.execute-api.eu-west-1.amazonaws.com';

/** The result of a change sent by a browser with its cookie: undefined, or the error. */
function refusalOf(headers: Record<string, string>, origin = publicOrigin): unknown {
  const { before } = authorize(routes.logout, () => origin);
  const multiValueHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const event = { multiValueHeaders } as unknown as APIGatewayProxyEvent;
  try {
    return before!({ event, context: { call: {} } } as never);
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe('a change from a web page', () => {
  test.each([
    ['the dashboard, behind the edge', { host: gateway, origin: publicOrigin }],
    ['a page at the address that was called', { host: gateway, origin: `https://${gateway}` }],
    ['a client that sends no Origin', { host: gateway }],
  ])('is accepted from %s', (_name, headers) => {
    expect(refusalOf(headers)).toBeUndefined();
  });

  test.each([
    ['the same host over another scheme', { host: 'ai.example.com', origin: 'http://ai.example.com' }],
    ['the gateway over another scheme', { host: gateway, origin: `http://${gateway}` }],
    ['another port of the host', { host: gateway, origin: `https://${gateway}:8443` }],
    ['another host', { host: gateway, origin: 'https://evil.example' }],
    ['a host that begins like ours', { host: gateway, origin: `${publicOrigin}.evil.example` }],
    ['no origin', { host: gateway, origin: 'null' }],
    ['an empty origin', { host: gateway, origin: '' }],
    ['what is no origin', { host: gateway, origin: 'https://[::1' }],
    ['another site, as the browser reports', { host: gateway, 'sec-fetch-site': 'cross-site' }],
    ['another site, with a header that is no key here', { 'sec-fetch-site': 'cross-site', 'x-api-key': 'x' }],
    ['a sibling site, as the browser reports', { host: gateway, 'sec-fetch-site': 'same-site' }],
  ])('is refused from %s', (_name, headers) => {
    expect(refusalOf(headers)).toBe('INSUFFICIENT_PERMISSIONS');
  });

  test('must come from the scheme of the service, which is http on one machine', () => {
    const local = 'http://127.0.0.1:8787';
    expect(refusalOf({ host: 'localhost:8787', origin: 'http://localhost:8787' }, local)).toBeUndefined();
    expect(refusalOf({ host: 'localhost:8787', origin: 'https://localhost:8787' }, local)).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
  });
});

const keyOf = (...values: string[]) => idempotencyKeyOf({ multiValueHeaders: { 'Idempotency-Key': values } } as never);

describe('the Idempotency-Key header', () => {
  it('may be absent', () => {
    expect(keyOf()).toBeUndefined();
    expect(idempotencyKeyOf({ multiValueHeaders: null } as never)).toBeUndefined();
  });

  it.each([
    ['x', 'x'],
    ['"x"', 'x'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['a b', 'a b'],
    ['a\\b', 'a\\b'],
    ['"a, b"', 'a, b'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['~!#$%&', '~!#$%&'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ])('with %j has the value %j', (value, key) => {
    expect(keyOf(value)).toBe(key);
  });

  const long = 'x'.repeat(256);
  const odd = ['', '""', long, `"${long}"`, '"open', '"a"b', 'a"b', '"\\a"', '"a\\"', 'a, b', '"a", "b"', '"a";b=1'];
  it.each([...odd, 'é', 'a\tb', 'a\n'])('with %j is refused', (value) => {
    expect(() => keyOf(value)).toThrow(/^The Idempotency-Key header /);
  });

  it('is refused if it is sent twice', () => {
    expect(() => keyOf('a', 'a')).toThrow(/^The Idempotency-Key header must be sent once/);
  });
});
