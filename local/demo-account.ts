import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { CurrentUser } from '#contract/accounts.ts';
import { CreatedKey } from '#contract/keys.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import type { MailStore } from './mail-store.ts';
import { Problem } from './problems.ts';

/** An account to try things with: confirmed, on pro_pass, with one key (design section 8). */
export const DemoAccount = v.object({ email: v.string(), password: v.string(), apiKey: v.string() });
export type DemoAccount = v.InferOutput<typeof DemoAccount>;

export interface DemoAccountOptions {
  readonly origin: string;
  /** Where the account is kept, as its key is shown once only. */
  readonly file: string;
  readonly mails: MailStore;
  /** Puts an account on the plan of this rank. */
  readonly startPlan: (accountId: number, planRank: number) => Promise<void>;
}

const email = 'demo@example.com';
const password = 'quiet-river-demo';
const proPassRank = 4;
const mailWaitMs = 5000;

/**
 * The demo account, made at the first start over the API like anybody's. Each step looks at what is there, so a start
 * that was killed half-way is finished by the next one; a key that no longer works is replaced.
 */
export async function openDemoAccount(options: DemoAccountOptions): Promise<DemoAccount> {
  const api = apiClient(options.origin);
  const kept = await readJsonFile(options.file, DemoAccount);
  if (kept && (await api.call('GET', '/v1/models', { key: kept.apiKey })).status === 200) return kept;
  await signIn(api, kept?.password ?? password);
  const user = v.parse(CurrentUser, (await api.expect(200, 'GET', '/api/auth/me')).data);
  if (!user.isSubscribe) await options.startPlan(user.id, proPassRank);
  const demo = { email, password: kept?.password ?? password, apiKey: await newKey(api, options.mails) };
  await writeJsonFile(options.file, demo, 0o600);
  return demo;
}

/** Registering first: at the first start, that saves a login whose refusal would take as long as hashing a password. */
async function signIn(api: ApiClient, password: string): Promise<void> {
  const registration = { email, name: 'Demo', password_hash: password };
  const registered = await api.call('POST', '/api/auth/register', { body: registration });
  if (registered.status === 201) return;
  if (registered.message !== 'EMAIL_ALREADY_REGISTERED')
    throw new Error(`the demo account could not be registered: ${registered.status} ${registered.message}`);
  const login = await api.call('POST', '/api/auth/login', { body: { email, password } });
  if (login.message === 'INVALID_CREDENTIALS')
    throw new Problem(`The password of ${email} was changed and its key no longer works, so there is no demo account.`);
  if (login.status !== 200) throw new Error(`the demo account could not sign in: ${login.status} ${login.message}`);
}

async function newKey(api: ApiClient, mails: MailStore): Promise<string> {
  const body = { name: 'demo' };
  const made = await api.call('POST', '/api/keys', { body });
  if (made.message !== 'ACCOUNT_NOT_CONFIRMED') return v.parse(CreatedKey, made.data).key;
  await confirm(api, mails);
  return v.parse(CreatedKey, (await api.expect(201, 'POST', '/api/keys', { body })).data).key;
}

/** With the token of the newest mail; where that has ended, with a new one. */
async function confirm(api: ApiClient, mails: MailStore): Promise<void> {
  const first = await newestToken(mails, undefined);
  if (first !== undefined && (await api.call('GET', confirmPath(first))).status === 200) return;
  await api.expect(200, 'POST', '/api/auth/resend-confirmation');
  const second = await newestToken(mails, first);
  if (second === undefined)
    throw new Problem(`No confirmation mail for ${email} arrived here, so there is no demo account.`);
  await api.expect(200, 'GET', confirmPath(second));
}

const confirmPath = (token: string): string => `/api/auth/confirm?token=${token}`;

/** Waits for a mail to the demo account with another token than the one given; undefined when none comes. */
async function newestToken(mails: MailStore, other: string | undefined): Promise<string | undefined> {
  for (const end = performance.now() + mailWaitMs; performance.now() < end; await sleep(20)) {
    const mail = mails.list().find(({ to }) => to.includes(email));
    const token = /[?&]token=([\w.~%-]+)/.exec(mail?.text ?? '')?.[1];
    if (token !== undefined && token !== other) return token;
  }
  return undefined;
}
