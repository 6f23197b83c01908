import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseCredential } from '#domain/shared/credential.ts';
import type { Call } from '../call.ts';
import { cookieValues } from '../request/headers.ts';

/** The cookie of known devices is named as the session's is: `__Host-` where the service is deployed. */
const deviceCookie = (sessionCookie: string): string => sessionCookie.replace('session', 'device');

/** What the browser holds as a known device; undefined when it sends nothing. */
export function deviceOf(event: APIGatewayProxyEvent, sessionCookie: string): string | undefined {
  return cookieValues(event, deviceCookie(sessionCookie)).find((text) => parseCredential(text)?.kind === 'device');
}

/** The cookies that a response sets, as values of `Set-Cookie`. */
export function cookiesOf({ session, device }: Call, sessionCookie: string): string[] {
  const ended = { text: '', lifetimeMs: 0 };
  return [
    ...(session ? [cookie(sessionCookie, session === 'ended' ? ended : session)] : []),
    ...(device ? [cookie(deviceCookie(sessionCookie), device)] : []),
  ];
}

function cookie(name: string, { text, lifetimeMs }: { text: string; lifetimeMs: number }): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${text}; Path=/; Max-Age=${Math.floor(lifetimeMs / 1000)}; HttpOnly; SameSite=Lax${secure}`;
}
