import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from '#contract/http/route.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Identity, Middleware } from './call.ts';
import { headerValues } from './headers.ts';

/** Refuses (403) cross-site changes, keys where a session is required, unconfirmed accounts and non-operators. */
export function authorize(route: Route, publicOrigin: () => string): Middleware {
  return {
    before: function authorizeCaller({ event, context: { call } }): Promise<void> | undefined {
      const { identity } = call;
      const caller = identity?.caller;
      if (!['GET', 'HEAD'].includes(route.method) && isCrossSite(event, publicOrigin(), route)) {
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
      if (!identity || caller?.kind !== 'session') return identity?.refusal && refuseProved(identity);
      if (route.confirmed && caller.account.confirmedAt === undefined) {
        throw new ServiceError(
          'ACCOUNT_NOT_CONFIRMED',
          'Confirm your email address first. Open the link in the email that was sent at registration.',
        );
      }
      if (route.role && caller.account.role !== route.role) {
        throw new ServiceError('INSUFFICIENT_PERMISSIONS', `Only an ${route.role} may do this.`);
      }
      if (identity.refusal) throw identity.refusal;
      return undefined;
    },
  };
}

async function refuseProved({ prove, refusal }: Identity): Promise<void> {
  await prove?.();
  throw refusal;
}

/**
 * Detects cross-site requests (docs/security.md#sessions-and-cookies). Requests with a key are exempt, because browsers
 * never add one. Only headers that the route reads count, because otherwise the session applies.
 */
function isCrossSite(event: APIGatewayProxyEvent, publicOrigin: string, { format }: Pick<Route, 'format'>): boolean {
  const keyHeaders = format === 'anthropic' ? ['authorization', 'x-api-key'] : ['authorization'];
  if (keyHeaders.some((name) => headerValues(event, name).length > 0)) return false;
  const sites = headerValues(event, 'sec-fetch-site');
  if (sites.some((site) => site !== 'same-origin' && site !== 'none')) return true;
  const atHosts = headerValues(event, 'host').map((host) => `${schemeOf(publicOrigin)}//${host}`);
  const own = new Set([publicOrigin, ...atHosts]);
  return headerValues(event, 'origin').some((origin) => !own.has(origin));
}

/** The function cannot see the client's scheme, so the public origin decides. */
function schemeOf(publicOrigin: string): string {
  return publicOrigin.startsWith('http://') ? 'http:' : 'https:';
}
