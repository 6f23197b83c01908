export interface CallOptions {
  readonly body?: unknown;
  /** Sent as Bearer. */
  readonly key?: string;
  readonly cookie?: string;
  readonly headers?: Record<string, string>;
}

/** A request of the API; a body that is no text is sent as JSON. */
export function apiRequest(method: string, { body, key, cookie, headers }: CallOptions): RequestInit {
  return {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key && { authorization: `Bearer ${key}` }),
      ...(cookie && { cookie }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}
