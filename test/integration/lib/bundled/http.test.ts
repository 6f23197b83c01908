import http from 'node:http';
import { expect, test } from 'vitest';
import lazily, { IncomingMessage, maxHeaderSize, STATUS_CODES } from '#lib/bundled/http.ts';

test('what stands for node:http in a function’s code gives the SDK Node’s own agent and request', () => {
  expect(lazily.Agent).toBe(http.Agent);
  expect(lazily.request).toBe(http.request);
  expect(STATUS_CODES['404']).toBe(http.STATUS_CODES['404']);
});

test('it gives undici Node’s default size of headers, and no class that a body could be of', () => {
  expect(maxHeaderSize).toBe(http.maxHeaderSize);
  expect(IncomingMessage).toBeUndefined();
});
