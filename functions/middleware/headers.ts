import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseCredential } from '#domain/shared/credential.ts';

export function headerValues(event: APIGatewayProxyEvent, name: string): string[] {
  const headers = event.multiValueHeaders ?? {};
  const values: string[] = [];
  for (const header of Object.keys(headers)) {
    if (header.length === name.length && header.toLowerCase() === name) values.push(...(headers[header] ?? []));
  }
  return values;
}

/** Returns the Origin header. Undefined if it is absent or repeated. */
export function originOf(event: APIGatewayProxyEvent): string | undefined {
  const origins = headerValues(event, 'origin');
  return origins.length === 1 ? origins[0] : undefined;
}

/** Returns all values of a cookie, the longest path first (RFC 6265, section 5.4). */
export function cookieValues(event: APIGatewayProxyEvent, name: string): string[] {
  const pairs = headerValues(event, 'cookie').flatMap((header) => header.split(';'));
  const texts = pairs.map((text) => text.trim()).filter((text) => text.startsWith(`${name}=`));
  return texts.map((text) => text.slice(name.length + 1));
}

/** Use the same `__Host-` prefix as the session cookie in deployed stages. */
const otherCookies = { device: 'device', secondFactor: 'second-factor' } as const;
export const cookieName = (kind: keyof typeof otherCookies, sessionCookie: string): string =>
  sessionCookie.replace('session', otherCookies[kind]);

/** Returns the first valid credential in the cookies of this kind. */
export function cookieOf(
  event: APIGatewayProxyEvent,
  kind: keyof typeof otherCookies,
  sessionCookie: string,
): string | undefined {
  return cookieValues(event, cookieName(kind, sessionCookie)).find((text) => parseCredential(text)?.kind === kind);
}
