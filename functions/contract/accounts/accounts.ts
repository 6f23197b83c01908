import * as v from 'valibot';
import { accountId, instant, integer, text, whole } from '../shared/fields.ts';
import { email } from './email.ts';
import { personName } from './names.ts';
import { isLanguage, languages } from './preferences.ts';

const body = 'must be a JSON object';

/** Passwords are 8 to 128 characters long, without control characters (docs/security.md#credentials). */
const newPassword = v.pipe(
  text(128, 8),
  v.check((value) => !/\p{Cc}/u.test(value), 'must not contain control characters such as tabs, line breaks or NUL'),
);

/** A password to verify: any text, because older rules may have allowed it, within the maximum length to hash. */
const password = text(1024);

const chosenPassword = v.pipe(newPassword, v.description('The chosen password, in plain text.'));
const languageIds = Object.keys(languages).filter(isLanguage);
const languageField = v.picklist(languageIds, `must be one of: ${languageIds.join(', ')}`);
const accountLanguage = v.optional(v.pipe(languageField, v.description('Language of the account.')));
export const Registration = v.object(
  { email, name: personName, password_hash: chosenPassword, language: accountLanguage },
  body,
);
export const Login = v.object({ email: text(254), password }, body);
const identityToken = text(8192);
/** Identity token: a JWT of the identity provider. `language`: of a new account. */
export const IdentityToken = v.object({ token: identityToken, language: accountLanguage }, body);
/**
 * Proof that the caller owns the account, in addition to the session: the password or an identity token
 * (docs/accounts.md#proof-of-the-owner).
 */
const ownerToken = v.pipe(
  v.optional(identityToken),
  v.description('Instead of the password: a new identity token of a linked Google account, at most 10 minutes old.'),
);
export const totpCode = v.pipe(v.string('must be a string'), v.regex(/^\d{6}$/, 'must be six digits'));
/** The second factor of an account that has one (docs/accounts.md#two-step-sign-in). */
export const factorProof = {
  code: v.optional(totpCode),
  recoveryCode: v.optional(text(64)),
};
export const ownerProof = { password: v.optional(password), identityToken: ownerToken, ...factorProof };
export const ForgottenPassword = v.object({ email }, body);
export const PasswordReset = v.object({ token: text(200), newPassword, ...factorProof }, body);
export const PasswordChange = v.object(
  { currentPassword: v.optional(password), identityToken: ownerToken, newPassword },
  body,
);
export const ProfileChange = v.pipe(
  v.object({ name: v.optional(personName), language: v.optional(languageField) }, body),
  v.check(({ name, language }) => name !== undefined || language !== undefined, 'must have name or language'),
);
export const AccountDeletion = v.object({ email: text(254), ...ownerProof }, body);
export const EmailChange = v.object({ email, ...ownerProof }, body);
export const EmailDecision = v.object(
  {
    token: text(200),
    decision: v.picklist(['confirm', 'refuse'], 'must be confirm or refuse'),
  },
  body,
);
export const TokenQuery = v.object({ token: text(200) }, 'must have a token');
export const SessionPath = v.object({
  id: v.pipe(text(64), v.description('A session’s id, or `others` for all sessions except the current one.')),
});

/** The specification's User. New accounts have the role `viewer`. */
export const User = v.object({ id: accountId, email: v.string(), name: v.string(), role: v.string() });
export const LoginUser = v.object({ ...User.entries, isSubscribe: v.boolean() });
/** A change of the email address that is not yet confirmed by the links in both emails. */
const PendingEmailChange = v.object({
  email: v.string(),
  expiresAt: instant,
  isConfirmedByOld: v.boolean(),
  isConfirmedByNew: v.boolean(),
});
export const CurrentUser = v.object({
  ...LoginUser.entries,
  created_at: instant,
  isConfirmed: v.pipe(v.boolean(), v.description('The email address is confirmed.')),
  hasPassword: v.pipe(v.boolean(), v.description('False if the user signs in with Google only.')),
  hasSecondFactor: v.boolean(),
  language: v.optional(v.pipe(v.string(), v.description('Chosen language. Absent if none was chosen.'))),
  emailChange: v.pipe(
    v.nullable(PendingEmailChange),
    v.description('The pending change of the email address; null without one, and for requests with an API key.'),
  ),
  terms: v.optional(
    v.pipe(
      v.object({ version: whole, acceptedVersion: v.nullable(whole), acceptedAt: v.nullable(instant) }),
      v.description(
        'The current version of the terms and the privacy policy, and the accepted one. Absent without terms.',
      ),
    ),
  ),
});
export const TermsAcceptance = v.object({ version: integer(1) }, body);
export const DecidedEmailChange = v.object({
  status: v.picklist(['waiting', 'changed', 'refused']),
  waitingFor: v.pipe(
    v.nullable(v.picklist(['old', 'new'])),
    v.description(
      'Whose link is still to be confirmed: that of the current address (`old`), or of the new one (`new`).',
    ),
  ),
});

/** Browser, system and country of the sign-in; null if unknown. */
const sessionOrigin = {
  browser: v.pipe(v.nullable(v.string()), v.description('Browser or program, by its User-Agent header.')),
  system: v.pipe(v.nullable(v.string()), v.description('Operating system, by its User-Agent header.')),
  country: v.pipe(
    v.nullable(v.string()),
    v.description('Country (ISO 3166-1 alpha-2) of the network, as the edge reports it.'),
  ),
  isLocal: v.pipe(v.boolean(), v.description('Opened on the machine that the service runs on.')),
};

export const SessionList = v.array(
  v.object({
    id: v.string(),
    ...sessionOrigin,
    createdAt: instant,
    lastSeenAt: instant,
    expiresAt: instant,
    current: v.boolean(),
  }),
);

/** Kinds of exported items. Each line of the archive has one. */
export const exportKinds = [
  'account',
  'credits',
  'former_email',
  'session',
  'device',
  'passkey',
  'organization',
  'key',
  'email',
  'ledger_entry',
  'request',
  'request_content',
  'operator_action',
  'webhook',
  'agent',
  'document',
  'document_text',
  'conversation',
  'conversation_message',
  'stored_response',
  'message',
  'upload',
  'transcription',
  'payment',
  'billing_profile',
] as const;
export type ExportKind = (typeof exportKinds)[number];

/** `cursor` is the `nextCursor` of the previous page. */
export const ExportQuery = v.object({
  cursor: v.optional(v.pipe(text(2000), v.regex(/^[\w-]+$/, 'must be the nextCursor of the previous page'))),
});

/** A part of everything that is stored about the account, without secrets. A page may be empty before the last one. */
export const ExportPage = v.object({
  items: v.array(v.object({ kind: v.picklist(exportKinds), data: v.record(v.string(), v.unknown()) })),
  nextCursor: v.nullable(v.string()),
});
export type ExportItem = v.InferOutput<typeof ExportPage>['items'][number];
