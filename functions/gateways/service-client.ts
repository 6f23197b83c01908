import { collectBody } from '#aws/bounded-body.ts';
import type { SendRequest } from '#domain/canary/canary.ts';

/** Exceeds the gateway's timeout for a whole response. */
const maxRequestMs = 35_000;
const maxBodyBytes = 1024 * 1024;

/** Calls the service at its public address, like an external client. Does not follow redirects. */
export const serviceClient =
  (origin: string) =>
  (withinMs: number): SendRequest => {
    const deadline = AbortSignal.timeout(withinMs);
    return async ({ method, path, body, headers = {} }) => {
      const response = await fetch(origin + path, {
        method,
        redirect: 'error',
        signal: AbortSignal.any([deadline, AbortSignal.timeout(maxRequestMs)]),
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return {
        status: response.status,
        headers: new Map(response.headers),
        cookies: response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? ''),
        text: response.body ? (await collectBody(response.body, maxBodyBytes)).toString() : '',
      };
    };
  };
