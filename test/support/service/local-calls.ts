import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'service-'));
export const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };

export async function call(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(origin + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: type.includes('json') ? JSON.parse(text) : undefined,
  };
}
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
