import * as v from 'valibot';

/** An answer's envelope (docs/specification.md#response-envelope-all-json-responses). */
const Answer = v.object({ message: v.string(), status: v.number(), data: v.unknown() });
type Answer = v.InferOutput<typeof Answer>;

export interface ApiCall {
  readonly body?: unknown;
  readonly key?: string;
}

/** Calls the service as a person's browser would: cookies are kept from call to call. */
export interface ApiClient {
  call(method: string, path: string, options?: ApiCall): Promise<Answer>;
  /** Rejects unless the answer has this status; without the query, which may hold a token. */
  expect(status: number, method: string, path: string, options?: ApiCall): Promise<Answer>;
}

export function apiClient(origin: string): ApiClient {
  const cookies = new Map<string, string>();

  async function call(method: string, path: string, { body, key }: ApiCall = {}): Promise<Answer> {
    const headers = new Headers();
    if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
    if (cookies.size > 0) headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    const response = await fetch(origin + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return v.parse(Answer, await response.json());
  }

  async function expect(status: number, method: string, path: string, options?: ApiCall): Promise<Answer> {
    const answer = await call(method, path, options);
    if (answer.status === status) return answer;
    throw new Error(`${method} ${path.split('?')[0]} answered ${answer.status} ${answer.message}`);
  }

  return { call, expect };
}
