import * as v from 'valibot';

/** A response's envelope (docs/specification.md#response-envelope-all-json-responses). */
const ApiResponse = v.object({ message: v.string(), status: v.number(), data: v.unknown() });
type ApiResponse = v.InferOutput<typeof ApiResponse>;

export interface ApiCall {
  readonly body?: unknown;
  readonly key?: string;
}

/** Calls the service as a person's browser would: cookies are kept from call to call. */
export interface ApiClient {
  call(method: string, path: string, options?: ApiCall): Promise<ApiResponse>;
  /** Rejects unless the response has this status; without the query, which may hold a token. */
  expect(status: number, method: string, path: string, options?: ApiCall): Promise<ApiResponse>;
}

export function apiClient(origin: string): ApiClient {
  const cookies = new Map<string, string>();

  async function call(method: string, path: string, { body, key }: ApiCall = {}): Promise<ApiResponse> {
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
    return v.parse(ApiResponse, await response.json());
  }

  async function expect(status: number, method: string, path: string, options?: ApiCall): Promise<ApiResponse> {
    const response = await call(method, path, options);
    if (response.status === status) return response;
    throw new Error(`${method} ${path.split('?')[0]} returned ${response.status} ${response.message}`);
  }

  return { call, expect };
}
