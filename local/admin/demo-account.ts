import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { CurrentUser } from '#contract/accounts/accounts.ts';
import { CreatedKey } from '#contract/accounts/keys.ts';
import { freePlanRank, planListing } from '#contract/billing/plans.ts';
import type { MailStore } from '../mail/inbox.ts';
import { readJsonFile, writeJsonFile } from '../shared/data-folder.ts';
import { Problem } from '../shared/problems.ts';

export const DemoAccount = v.object({ email: v.string(), password: v.string(), apiKey: v.string() });
export type DemoAccount = v.InferOutput<typeof DemoAccount>;

/** The stored account. The password is stored before registration, so an account without a key is unfinished. */
const StoredAccount = v.object({ ...DemoAccount.entries, apiKey: v.nullable(v.string()) });

export interface DemoAccountOptions {
  readonly origin: string;
  /** Stores the account, because its key is shown only once. */
  readonly file: string;
  readonly mails: MailStore;
  readonly startPlan: (accountId: number, planRank: number) => Promise<void>;
}

const email = 'demo@example.com';
export const demoPlan = planListing.findLast(({ price }) => price !== null) ?? { id: freePlanRank, name: '' };
const mailWaitMs = 5000;

/**
 * Creates the demo account on the first start, through the API, with a random password for each data folder. Confirmed,
 * on the largest plan with a price, with one key. Each step checks the existing state, so that a later start completes
 * an interrupted one. A key that no longer works is replaced.
 */
export async function openDemoAccount({ origin, file, mails, startPlan }: DemoAccountOptions): Promise<DemoAccount> {
  const api = apiClient(origin);
  const stored = await readJsonFile(file, StoredAccount);
  if (stored && isFinished(stored) && (await api.call('GET', '/v1/models', { key: stored.apiKey })).status === 200)
    return stored;
  const password = stored?.password ?? randomBytes(12).toString('base64url');
  if (!stored) await writeJsonFile(file, { email, password, apiKey: null });
  await signIn(api, password, stored && isFinished(stored) ? undefined : mails);
  const user = v.parse(CurrentUser, (await api.expect(200, 'GET', '/api/auth/me')).data);
  if (!user.isSubscribe) await startPlan(user.id, demoPlan.id);
  const demo = { email, password, apiKey: await newKey(api, mails) };
  await writeJsonFile(file, demo);
  return demo;
}

const isFinished = (stored: v.InferOutput<typeof StoredAccount>): stored is DemoAccount => stored.apiKey !== null;

/**
 * Registers before it logs in, because the refusal of a login takes as long as hashing a password. Given `mails`,
 * replaces an unknown password of an existing account.
 */
async function signIn(api: ApiClient, password: string, mails: MailStore | undefined): Promise<void> {
  const registration = { email, name: 'Demo', password_hash: password };
  const registered = await api.call('POST', '/api/auth/register', { body: registration });
  if (registered.status === 201) return;
  if (registered.message !== 'EMAIL_ALREADY_REGISTERED')
    throw new Error(`the demo account could not be registered: ${registered.status} ${registered.message}`);
  const login = await api.call('POST', '/api/auth/login', { body: { email, password } });
  if (login.status === 200) return;
  if (login.message !== 'INVALID_CREDENTIALS')
    throw new Error(`the demo account could not sign in: ${login.status} ${login.message}`);
  if (!mails)
    throw new Problem(`The password of ${email} was changed and its key no longer works, so there is no demo account.`);
  await resetPassword(api, password, mails);
  await api.expect(200, 'POST', '/api/auth/login', { body: { email, password } });
}

async function resetPassword(api: ApiClient, newPassword: string, mails: MailStore): Promise<void> {
  await api.expect(200, 'POST', '/api/auth/forgot-password', { body: { email } });
  const isReset = await withMailedToken(mails, '/reset-password', new Set(), (token) =>
    api.call('POST', '/api/auth/reset-password', { body: { token, newPassword } }),
  );
  if (!isReset) throw new Problem(`No email with a new password for ${email} arrived, so there is no demo account.`);
}

async function newKey(api: ApiClient, mails: MailStore): Promise<string> {
  const body = { name: 'demo' };
  const created = await api.call('POST', '/api/keys', { body });
  if (created.message !== 'ACCOUNT_NOT_CONFIRMED') return v.parse(CreatedKey, created.data).key;
  await confirm(api, mails);
  return v.parse(CreatedKey, (await api.expect(201, 'POST', '/api/keys', { body })).data).key;
}

/** Confirms with the token of a received email, or requests a new one if none is valid. */
async function confirm(api: ApiClient, mails: MailStore): Promise<void> {
  const tried = new Set<string>();
  const isConfirmed = (): Promise<boolean> =>
    withMailedToken(mails, '/confirm', tried, (token) => api.call('GET', `/api/auth/confirm?token=${token}`));
  if (await isConfirmed()) return;
  await api.call('POST', '/api/auth/resend-confirmation');
  if (!(await isConfirmed()))
    throw new Problem(`No confirmation email for ${email} arrived, so there is no demo account.`);
}

/**
 * Tries the tokens of emails that link to the page, newest first, until one is valid. The newest may belong to a
 * deleted account if only the database was removed.
 */
async function withMailedToken(
  mails: MailStore,
  page: string,
  tried: Set<string>,
  use: (token: string) => Promise<{ status: number }>,
): Promise<boolean> {
  const link = new RegExp(`${page}\\?token=(\\w+)`);
  for (const end = performance.now() + mailWaitMs; performance.now() < end; await sleep(20)) {
    const mail = mails.list().find(({ to, text }) => to.includes(email) && link.test(text));
    const token = link.exec(mail?.text ?? '')?.[1];
    if (token === undefined || tried.has(token)) continue;
    tried.add(token);
    if ((await use(token)).status === 200) return true;
  }
  return false;
}

/** The response envelope (docs/specification.md#response-envelope-all-json-responses). */
const ApiResponse = v.object({ message: v.string(), status: v.number(), data: v.unknown() });
type ApiResponse = v.InferOutput<typeof ApiResponse>;

export interface ApiCall {
  readonly body?: unknown;
  readonly key?: string;
}

export interface ApiClient {
  call(method: string, path: string, options?: ApiCall): Promise<ApiResponse>;
  /** Rejects for any other status. The message omits the query, which may contain a token. */
  expect(status: number, method: string, path: string, options?: ApiCall): Promise<ApiResponse>;
}

export function apiClient(origin: string): ApiClient {
  const cookies = new Map<string, string>();

  async function call(method: string, path: string, { body, key }: ApiCall = {}): Promise<ApiResponse> {
    const headers = new Headers();
    if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
    if (cookies.size > 0) headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    const response = await fetch(origin + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return v.parse(ApiResponse, await response.json());
  }

  async function expect(status: number, method: string, path: string, options?: ApiCall): Promise<ApiResponse> {
    const response = await call(method, path, options);
    if (response.status === status) return response;
    throw new Error(`${method} ${path.split('?')[0]} returned ${response.status} ${response.message}`);
  }

  return { call, expect };
}
