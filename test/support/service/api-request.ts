export interface CallOptions {
  readonly body?: unknown;
  readonly key?: string;
  readonly cookie?: string;
  readonly headers?: Record<string, string>;
}

/** A request to the API. A body that is neither text nor a form is sent as JSON. */
export function apiRequest(method: string, { body, key, cookie, headers }: CallOptions): RequestInit {
  const isForm = body instanceof FormData;
  return {
    method,
    headers: {
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...(key && { authorization: `Bearer ${key}` }),
      ...(cookie && { cookie }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' || isForm ? body : JSON.stringify(body) }),
  };
}
