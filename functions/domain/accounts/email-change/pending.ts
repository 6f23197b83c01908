import type { Account, EmailChange } from '../account.ts';

/** Whether the change can still be confirmed: not ended, not expired, and requested in sessions that have not been ended since. */
export function isPending(account: Account, change: EmailChange, now: number): boolean {
  return (
    change.outcome === undefined &&
    change.expiresAt > now &&
    change.sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
    account.deletedAt === undefined
  );
}

/** The pending change as its account sees it; null without one. */
export function shownEmailChange(account: Account, now: number) {
  const change = account.emailChange;
  if (!change || !isPending(account, change, now)) return null;
  return {
    email: change.email,
    expiresAt: new Date(change.expiresAt).toISOString(),
    isConfirmedByOld: change.oldConfirmedAt !== undefined,
    isConfirmedByNew: change.newConfirmedAt !== undefined,
  };
}
