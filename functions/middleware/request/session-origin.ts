import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { SessionOrigin } from '#domain/accounts/sign-in/session-store.ts';
import { headerValues } from './headers.ts';
import { userAgentOf } from './user-agent.ts';

/** Codes of ISO 3166-1 that are users' own, which networks without a country are given. */
const noCountry = /^(?:XX|ZZ|T1)$/;

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/**
 * Where a request comes from, as its headers show. `countryHeader` is the one that the edge writes; without an edge nobody is
 * believed, and nothing is looked up anywhere.
 */
export function sessionOriginOf(event: APIGatewayProxyEvent, countryHeader: string | undefined): SessionOrigin {
  const [userAgent] = headerValues(event, 'user-agent');
  const isLocal = loopback.test(event.requestContext.identity.sourceIp);
  return { ...userAgentOf(userAgent), country: countryOf(event, countryHeader), isLocal };
}

function countryOf(event: APIGatewayProxyEvent, header: string | undefined): string | null {
  const values = header === undefined ? [] : headerValues(event, header);
  const [country = ''] = values;
  return values.length === 1 && /^[A-Z]{2}$/.test(country) && !noCountry.test(country) ? country : null;
}
