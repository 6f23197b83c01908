import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { authorize } from '#middleware/authorize.ts';

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
