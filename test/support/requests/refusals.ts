import { expect } from 'vitest';
import type { ApiResponse } from '../service/service.ts';

export const refusedWith = ({ status, body, headers }: ApiResponse) => {
  expect(Object.keys(body).toSorted()).toEqual(['data', 'detail', 'error', 'message', 'status']);
  expect(body).toMatchObject({ error: true, data: null, status });
  expect(body.detail).toMatch(/^.{10,}\.$/s);
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  return `${status} ${body.message}`;
};
