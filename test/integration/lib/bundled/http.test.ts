import http from 'node:http';
import { expect, test } from 'vitest';
import lazily, { maxHeaderSize, STATUS_CODES } from '#lib/bundled/http.ts';

test('the bundled replacement of node:http exports Node’s agent, request, statuses and maximum header size', () => {
  expect(lazily.Agent).toBe(http.Agent);
  expect(lazily.request).toBe(http.request);
  expect(STATUS_CODES['404']).toBe(http.STATUS_CODES['404']);
  expect(maxHeaderSize).toBe(http.maxHeaderSize);
});
