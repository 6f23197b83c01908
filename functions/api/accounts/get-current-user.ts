import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { shownEmailChange } from '#domain/accounts/email-change/pending.ts';
import { isSubscribed } from '#domain/meter/meter.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getCurrentUser: Operation<typeof accountRoutes.me> = async ({ profile, metering, clock }, { caller }) => {
  const account = caller.kind === 'session' ? caller.account : await profile().get(caller.accountId);
  const now = clock.now();
  const meter = await metering().current(caller.accountId, now);
  return {
    ...account,
    isSubscribe: isSubscribed(meter),
    created_at: new Date(account.createdAt).toISOString(),
    isConfirmed: account.confirmedAt !== undefined,
    hasPassword: account.passwordHash !== undefined,
    emailChange: caller.kind === 'session' ? shownEmailChange(account, now) : null,
  };
};

export const handler = endpoint(accountRoutes.me, getCurrentUser);
