import type { KeyNotice } from '../keys/key-service.ts';
import type { KeyRecord } from '../keys/key.ts';
import { newRequestId } from '../shared/credential.ts';
import { en } from '../shared/phrases.ts';
import type { OutgoingMail, Random } from '../shared/ports.ts';
import type { Account } from './account.ts';
import { type Addressee, emailContent, type MailContent } from './mail-layout.ts';
import { addresseeOf } from './mail-preferences.ts';
import type { DeviceNotice, SessionOrigin } from './sessions.ts';
import { deviceMails, keyMails, type Throttle } from './throttle.ts';

const securityChanges = {
  'factor-on': [
    en`Two-step sign-in was turned on`,
    en`Signing in to your account now also needs a code from an authenticator app.`,
  ],
  'factor-off': [
    en`Two-step sign-in was turned off`,
    en`Signing in to your account no longer needs a code from an authenticator app.`,
  ],
  'recovery-code': [
    en`A recovery code was used`,
    en`A recovery code of your account was used in place of a code from the authenticator app. It works no more.`,
  ],
  'passkey-added': [
    en`A passkey was added`,
    en`A passkey was added to your account, which can sign in without the password.`,
  ],
  'passkey-removed': [
    en`A passkey was removed`,
    en`A passkey was removed from your account, and can no longer sign in.`,
  ],
} as const;

type SecurityChange = keyof typeof securityChanges;

export function securityMail(to: Addressee, change: SecurityChange, link: string): MailContent {
  const [subject, body] = securityChanges[change];
  return emailContent({
    subject,
    to,
    body,
    action: en`Check your settings`,
    link,
    footer: en`If it was not you, change your password immediately, and remove what you do not know from the settings.`,
  });
}

/** `link`: the sessions in the settings. */
export function newDeviceMail(
  to: Addressee,
  { browser, system, country, isLocal, at }: SessionOrigin & { readonly at: number },
  link: string,
): MailContent {
  const program = browser ?? en`an unknown program`;
  const client = system === null ? program : en`${{ program }} on ${{ system }}`;
  const minute = { minute: at };
  const signedIn = isLocal
    ? en`Your account was signed in to at ${{ minute }} with ${{ client }} on the machine of the service.`
    : country === null
      ? en`Your account was signed in to at ${{ minute }} with ${{ client }}.`
      : en`Your account was signed in to at ${{ minute }} with ${{ client }} in ${{ country: { region: country } }}.`;
  return emailContent({
    subject: en`New sign-in to your account`,
    to,
    body: [signedIn, en`This browser or program was not used with your account before.`],
    action: en`View your sessions`,
    link,
    footer: en`If it was not you, end the session and change your password.`,
  });
}

/** Identifies the key by its first and last characters, because its name is arbitrary text. `link`: the keys. */
export function keyCreatedMail(
  to: Addressee,
  { prefix, lastFour, createdAt }: Pick<KeyRecord, 'prefix' | 'lastFour' | 'createdAt'>,
  link: string,
): MailContent {
  return emailContent({
    subject: en`An API key was created`,
    to,
    body: en`The API key ${{ key: `${prefix}…${lastFour}` }} was created at ${{ minute: { minute: createdAt } }}.`,
    action: en`View keys`,
    link,
    footer: en`If it was not you, revoke the key and change your password.`,
  });
}

/** Email to a member of an organization that now requires two-step sign-in. `link`: the settings. */
export function secondFactorRuleMail(
  to: Addressee,
  { organization, hasSecondFactor }: { readonly organization: string; readonly hasSecondFactor: boolean },
  link: string,
): MailContent {
  const consequence = hasSecondFactor
    ? en`Your account has an authenticator app, so nothing changes for you.`
    : en`To keep your access, set up an authenticator app, or add a passkey and sign in with it.`;
  return emailContent({
    subject: en`${{ organization }} requires two-step sign-in`,
    to,
    body: [en`An owner of the organization now requires two-step sign-in of its members.`, consequence],
    action: en`Open your settings`,
    link,
    footer: en`API keys of the organization continue to work.`,
  });
}

/** Email to a member whom another owner made an owner. `link`: the organization. */
export function newOwnerMail(
  to: Addressee,
  { organization, sender }: { readonly organization: string; readonly sender: string },
  link: string,
): MailContent {
  return emailContent({
    subject: en`You are now an owner of ${{ organization }}`,
    to,
    body: [
      en`${{ sender }} made you an owner of the organization.`,
      en`Owners manage members, API keys, the plan and payments, and can delete the organization.`,
    ],
    action: en`Open the organization`,
    link,
    footer: en`If you did not expect this, contact that member, or leave the organization.`,
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
