import { describe, expect, it } from 'vitest';
import type { Account, EmailChange } from '#domain/accounts/account.ts';
import { agreementMail, emailChangeView } from '#domain/accounts/email-change.ts';

const change: EmailChange = {
  email: 'new@example.com',
  oldDigest: 'old',
  newDigest: 'new',
  requestedAt: 1000,
  expiresAt: 2000,
  sessionsValidFrom: 0,
};
const account: Account = {
  id: 1,
  email: 'old@example.com',
  name: 'Ada',
  role: 'viewer',
  createdAt: 0,
  confirmedAt: 0,
  emailChange: change,
};

describe('a pending change of an email address', () => {
  it('is shown with what is confirmed of it, and without its tokens', () => {
    const half: EmailChange = { ...change, oldConfirmedAt: 1500 };
    expect(emailChangeView({ ...account, emailChange: half }, 1999)).toEqual({
      email: 'new@example.com',
      expiresAt: '1970-01-01T00:00:02.000Z',
      isConfirmedByOld: true,
      isConfirmedByNew: false,
    });
  });

  it('is shown alike where the address has an account, so that its owner alone learns that', () => {
    const { newDigest: _, ...taken } = change;
    expect(emailChangeView({ ...account, emailChange: taken }, 1500)).toEqual(emailChangeView(account, 1500));
  });

  it.each<[string, Partial<Account>, number]>([
    ['when it has expired', {}, 2000],
    ['when it was cancelled', { emailChange: { ...change, outcome: 'cancelled' } }, 1500],
    ['when all sessions were ended, as by a new password', { sessionsValidFrom: 1200 }, 1500],
    ['when the account is deleted', { deletedAt: 1200 }, 1500],
  ])('is none any more %s', (_, after, now) => {
    expect(emailChangeView({ ...account, ...after }, now)).toBe(null);
  });
});

describe('the mail that requests the owner’s consent', () => {
  it('names the address that the account is to have', () => {
    expect(agreementMail(account, 'new@example.com', 'https://x').text).toContain('new@example.com');
  });
});
