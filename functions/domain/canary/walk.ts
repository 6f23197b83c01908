import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { confirmationMail } from '../accounts/mails/mails.ts';
import { issueCredential } from '../shared/credential.ts';
import { newRequestId } from '../shared/ids.ts';
import { chatWithNewKey } from './first-chat.ts';
import type { CanaryParts, RequestHeaders, SendRequest } from './ports.ts';
import { call, demandRefusal, perform } from './responses.ts';
import { eventually, step } from './step.ts';

const walkMs = 100_000;
const leaveMs = 30_000;
const hourMs = 3_600_000;

const { register, login } = signInRoutes;
const { me, confirm, deleteAccount } = accountRoutes;

/**
 * What a new user does, by the API alone: registers, confirms, makes a key, chats plainly and streamed, is charged exactly, and
 * deletes key and account. Throws a CanaryFailure with the step that failed; the account is deleted all the same.
 */
export async function walkAsNewUser(parts: CanaryParts): Promise<void> {
  const { random, senderFor } = parts;
  const send = senderFor(walkMs);
  // SES's mailbox simulator takes mails to any label of this address.
  const email = `success+canary-${hexOf(random.bytes(9))}@simulator.amazonses.com`;
  const password = `canary ${hexOf(random.bytes(12))}`;
  const goodbye = { email, password };
  let session: RequestHeaders | undefined;
  try {
    const { id } = await step('register', async () => {
      const body = { email, name: 'Canary', password_hash: password };
      const { data, response } = await call(send, register, { body });
      session = { cookie: response.cookies.join('; ') };
      return data;
    });
    const token = await step('get the mail', () => tokenOfMail(parts, id, email));
    const headers = await step('sign in', async () => {
      const { response } = await call(send, login, { body: { email, password } });
      return { cookie: response.cookies.join('; ') };
    });
    session = headers;
    await step('confirm', () => perform(send, confirm, { path: `${confirm.path}?token=${token}`, headers }));
    await chatWithNewKey(parts, send, headers);
    await step('delete the account', () => leave(send, goodbye, headers));
    session = undefined;
  } finally {
    // Where this fails too, the account is purged by the note that `prepare` made.
    if (session) await leave(senderFor(leaveMs), goodbye, session).catch(() => undefined);
  }
}

async function leave(send: SendRequest, body: object, headers: RequestHeaders): Promise<void> {
  await perform(send, deleteAccount, { body, headers });
  await demandRefusal(send, me, 'INVALID_API_KEY', { headers });
}

/** No mailbox of ours can be read: a token of the canary's own replaces the mailed one, and is mailed; given once SES has taken it. */
async function tokenOfMail(parts: CanaryParts, accountId: number, email: string): Promise<string> {
  const { store, random, clock, publicOrigin } = parts;
  const { text, digest } = issueCredential('confirmation', accountId, random);
  const content = confirmationMail({ name: '' }, `${publicOrigin}/confirm?token=${text}`);
  const mail = { id: newRequestId(random), to: email, ...content };
  const now = clock.now();
  const preparation = { token: { digest, expiresAt: now + hourMs }, mail, purgeAt: now + hourMs };
  if (!(await store.prepare(accountId, email, preparation, now))) throw new Error('the account is not there');
  const outcome = await eventually(parts, () => store.mailOutcome(mail.id));
  if (outcome !== 'sent') throw new Error(outcome ? `the mail was ${outcome}` : 'the mail waits in the outbox');
  return text;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
