import http from 'node:http';
import { expect, test } from 'vitest';
import lazily, { IncomingMessage, maxHeaderSize, STATUS_CODES } from '#lib/bundled/http.ts';

test('the bundled replacement of node:http exports Node’s agent and request', () => {
  expect(lazily.Agent).toBe(http.Agent);
  expect(lazily.request).toBe(http.request);
  expect(STATUS_CODES['404']).toBe(http.STATUS_CODES['404']);
});

test('the bundled replacement of node:http exports Node’s maximum header size, but no IncomingMessage', () => {
  expect(maxHeaderSize).toBe(http.maxHeaderSize);
  expect(IncomingMessage).toBeUndefined();
});
