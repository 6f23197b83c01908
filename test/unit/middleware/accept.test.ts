import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { acceptedKind } from '#middleware/accept.ts';

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
