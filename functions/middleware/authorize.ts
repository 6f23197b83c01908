import type { Route } from '#contract/route.ts';
import { ServiceError } from '#domain/service-error.ts';
import type { Middleware } from './call.ts';

/** Refuses (403) a caller who is known but may not: a key where a person must act, an account not yet confirmed. */
export function authorize(route: Route): Middleware {
  return {
    before: function authorizeCaller({ context: { call } }) {
      const { caller } = call;
      if (route.credential === 'session' && caller?.kind === 'key') {
        throw new ServiceError('INSUFFICIENT_PERMISSIONS', 'An API key may not do this; sign in to the dashboard.');
      }
      if (route.confirmed && caller?.kind === 'session' && caller.account.confirmedAt === undefined) {
        throw new ServiceError(
          'ACCOUNT_NOT_CONFIRMED',
          'Confirm the e-mail address first; the link is in the mail sent at registration.',
        );
      }
    },
  };
}
