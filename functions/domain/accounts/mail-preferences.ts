import { type MailPreferences, mailKinds, type MailKind } from '#contract/accounts/preferences.ts';
import type { Account } from './account.ts';
import type { Addressee } from './mail-layout.ts';

export const wantsMail = ({ mailsOff = [] }: Pick<Account, 'mailsOff'>, kind: MailKind): boolean =>
  !mailsOff.includes(kind);

/** The email links to the preferences. */
export const addresseeOf = (
  { name, confirmedAt, language, organization }: Addressee,
  publicOrigin: string,
): Addressee => ({
  name,
  ...(language !== undefined && { language }),
  ...(organization !== undefined && { organization }),
  ...(confirmedAt !== undefined && { confirmedAt }),
  preferences: `${publicOrigin}/settings#emails`,
});

export const preferencesOf = (account: Pick<Account, 'mailsOff'>): MailPreferences => ({
  planChanges: wantsMail(account, 'planChanges'),
  renewals: wantsMail(account, 'renewals'),
  receipts: wantsMail(account, 'receipts'),
  webhooks: wantsMail(account, 'webhooks'),
});

/** The kinds that are switched off, as stored. */
export const mailsOffBy = (preferences: MailPreferences): MailKind[] => mailKinds.filter((kind) => !preferences[kind]);
