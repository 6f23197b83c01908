import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from '#contract/http/route.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Middleware } from './call.ts';
import { headerValues } from './request/headers.ts';

/**
 * Refuses (403) a caller who is known but may not: a change that a foreign page makes with the browser's cookie, a key
 * where a person must act, an account not yet confirmed, a person who is no operator.
 */
export function authorize(route: Route, publicOrigin: () => string): Middleware {
  return {
    before: function authorizeCaller({ event, context: { call } }) {
      const { caller } = call;
      if (route.method !== 'GET' && isForeign(event, publicOrigin())) {
        throw new ServiceError(
          'INSUFFICIENT_PERMISSIONS',
          "Requests from another site cannot use the browser's session.",
        );
      }
      if (route.credential === 'session' && caller?.kind === 'key') {
        throw new ServiceError(
          'INSUFFICIENT_PERMISSIONS',
          'API keys cannot be used for this operation. Sign in to the dashboard.',
        );
      }
      if (caller?.kind !== 'session') return;
      if (route.confirmed && caller.account.confirmedAt === undefined) {
        throw new ServiceError(
          'ACCOUNT_NOT_CONFIRMED',
          'Confirm your email address first. Open the link in the email that was sent at registration.',
        );
      }
      if (route.role && caller.account.role !== route.role) {
        throw new ServiceError('INSUFFICIENT_PERMISSIONS', `Only an ${route.role} may do this.`);
      }
    },
  };
}

/**
 * Whether a browser reports that another site's page sent this (docs/design/http.md#cookie-changes). What comes with an
 * Authorization header is no page's doing: browsers add no such header by themselves.
 */
function isForeign(event: APIGatewayProxyEvent, publicOrigin: string): boolean {
  if (headerValues(event, 'authorization').length > 0) return false;
  const sites = headerValues(event, 'sec-fetch-site');
  if (sites.some((site) => site !== 'same-origin' && site !== 'none')) return true;
  const atHosts = headerValues(event, 'host').map((host) => `${schemeOf(publicOrigin)}//${host}`);
  const own = new Set([publicOrigin, ...atHosts]);
  return headerValues(event, 'origin').some((origin) => !own.has(origin));
}

/** Nothing that reaches the function shows how the browser came here, so it is how the service is served. */
function schemeOf(publicOrigin: string): string {
  return publicOrigin.startsWith('http://') ? 'http:' : 'https:';
}
