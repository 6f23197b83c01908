import { iso } from '#contract/shared/time.ts';
import type { KeyNotice } from '../keys/key-service.ts';
import type { KeyRecord } from '../keys/key.ts';
import { newRequestId } from '../shared/credential.ts';
import type { Random } from '../shared/ports.ts';
import type { Account, OutgoingMail } from './account.ts';
import type { DeviceNotice } from './devices.ts';
import { addresseeOf } from './mail-preferences.ts';
import { type Addressee, emailContent, type MailContent } from './mails.ts';
import type { SessionOrigin } from './sessions.ts';
import { deviceMails, keyMails, type Throttle } from './throttle.ts';

const securityChanges = {
  'factor-on': [
    'Two-step sign-in was turned on',
    'Signing in to your account now also needs a code from an authenticator app.',
  ],
  'factor-off': [
    'Two-step sign-in was turned off',
    'Signing in to your account no longer needs a code from an authenticator app.',
  ],
  'recovery-code': [
    'A recovery code was used',
    'A recovery code of your account was used in place of a code from the authenticator app. It works no more.',
  ],
  'passkey-added': [
    'A passkey was added',
    'A passkey was added to your account, which can sign in without the password.',
  ],
  'passkey-removed': ['A passkey was removed', 'A passkey was removed from your account, and can no longer sign in.'],
} as const;

type SecurityChange = keyof typeof securityChanges;

export function securityMail(to: Addressee, change: SecurityChange, link: string): MailContent {
  const [subject, body] = securityChanges[change];
  return emailContent({
    subject,
    to,
    body,
    action: 'Check your settings',
    link,
    footer: 'If it was not you, change your password immediately, and remove what you do not know from the settings.',
  });
}

/** Such as `2026-11-27 22:12 UTC`. */
const minuteOf = (ms: number): string => `${iso(ms).slice(0, 16).replace('T', ' ')} UTC`;

/** Created on use, because loading the names takes time. */
const countryName = (code: string): string => new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;

/** `link`: the sessions in the settings. */
export function newDeviceMail(
  to: Addressee,
  { browser, system, country, isLocal, at }: SessionOrigin & { readonly at: number },
  link: string,
): MailContent {
  const client = [browser ?? 'an unknown program', ...(system === null ? [] : [`on ${system}`])].join(' ');
  const place = isLocal ? ' on the machine of the service' : country === null ? '' : ` in ${countryName(country)}`;
  return emailContent({
    subject: 'New sign-in to your account',
    to,
    body: `Your account was signed in to at ${minuteOf(at)} with ${client}${place}. This browser or program was not used with your account before.`,
    action: 'View your sessions',
    link,
    footer: 'If it was not you, end the session and change your password.',
  });
}

/** Identifies the key by its first and last characters, because its name is arbitrary text. `link`: the keys. */
export function keyCreatedMail(
  to: Addressee,
  { prefix, lastFour, createdAt }: Pick<KeyRecord, 'prefix' | 'lastFour' | 'createdAt'>,
  link: string,
): MailContent {
  return emailContent({
    subject: 'An API key was created',
    to,
    body: `The API key ${prefix}…${lastFour} was created at ${minuteOf(createdAt)}.`,
    action: 'View keys',
    link,
    footer: 'If it was not you, revoke the key and change your password.',
  });
}

/** To a member of an organization, which the email names. `link`: the settings. */
export function secondFactorRuleMail(to: Addressee, hasSecondFactor: boolean, link: string): MailContent {
  const consequence = hasSecondFactor
    ? 'Your account has an authenticator app, so nothing changes for you.'
    : 'To keep your access, set up an authenticator app, or add a passkey and sign in with it.';
  return emailContent({
    subject: 'Your organization requires a second factor',
    to,
    body: `An owner of the organization now requires that its members sign in with a second factor. ${consequence}`,
    action: 'Open your settings',
    link,
    footer: 'API keys of the organization continue to work.',
  });
}

interface NoticeParts {
  readonly throttle: () => Pick<Throttle, 'take'>;
  readonly random: Random;
  readonly publicOrigin: string;
}

/** The email that reports a change of credentials, stored with the change. */
export type SecurityNotice = (account: Account, change: SecurityChange) => OutgoingMail;

/** The emails that are written with sign-ins and with changes of credentials and keys. */
export const securityNotices = (parts: NoticeParts) => ({
  ofChange: changeNotices(parts),
  ofDevice: deviceNotices(parts),
  ofKey: keyNotices(parts),
});

const changeNotices =
  ({ random, publicOrigin }: NoticeParts): SecurityNotice =>
  (account, change) => ({
    id: newRequestId(random),
    to: account.email,
    ...securityMail(account, change, `${publicOrigin}/settings`),
  });

/** An unconfirmed address may belong to another person. */
function deviceNotices({ throttle, random, publicOrigin }: NoticeParts): DeviceNotice {
  return async (account, signIn, at) => {
    if (account.confirmedAt === undefined) return undefined;
    if ((await throttle().take(deviceMails, String(account.id))) > 0) return undefined;
    const content = newDeviceMail(addresseeOf(account, publicOrigin), { ...signIn, at }, `${publicOrigin}/settings`);
    return { id: newRequestId(random), to: account.email, ...content };
  };
}

function keyNotices({ throttle, random, publicOrigin }: NoticeParts): KeyNotice {
  return async (accountId, creator, record) => {
    if ((await throttle().take(keyMails, String(accountId))) > 0) return undefined;
    const content = keyCreatedMail(addresseeOf(creator, publicOrigin), record, `${publicOrigin}/keys`);
    return { id: newRequestId(random), to: creator.email, ...content };
  };
}
