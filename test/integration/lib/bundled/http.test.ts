import http from 'node:http';
import { expect, test } from 'vitest';
import lazily, { IncomingMessage, maxHeaderSize, STATUS_CODES } from '#lib/bundled/http.ts';

test('the replacement of node:http in a bundle exports Node’s agent and request', () => {
  expect(lazily.Agent).toBe(http.Agent);
  expect(lazily.request).toBe(http.request);
  expect(STATUS_CODES['404']).toBe(http.STATUS_CODES['404']);
});

test('it exports Node’s maximum header size, and no IncomingMessage', () => {
  expect(maxHeaderSize).toBe(http.maxHeaderSize);
  expect(IncomingMessage).toBeUndefined();
});
