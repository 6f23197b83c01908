import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { Envelope } from '#contract/http/format.ts';
import { startService } from '#local/start/service.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { services } from '#runtime/services/container.ts';
import { demandDocumented } from '../contract/documented.ts';
import { separateDatabase } from '../database/dynamodb-local.ts';
import { setInRow } from '../database/rows.ts';
import { removeFolder, testFolder } from '../folder.ts';
import { apiRequest, type CallOptions } from './api-request.ts';
import { deployedService } from './deployed.ts';

type ServiceOptions = Parameters<typeof startService>[0];
export type TestService = Awaited<ReturnType<typeof startTestService>>;
export type Person = Awaited<ReturnType<TestService['person']>>;

/** The response to a request; `body` is the envelope, with `detail` on errors. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope<any> & { detail?: string };
}

/** The whole service on a free port and an empty data folder, with a fast demo engine. */
export async function startTestService(options: Partial<ServiceOptions> = {}) {
  const deployed = deployedService();
  const folder = await testFolder();
  const separate = deployed ? undefined : await separateDatabase();
  const usual = { port: 0, data: folder, wordDelayMs: 0, receiptDelayMs: 100, log: () => undefined };
  const service =
    deployed ?? (await startService({ ...usual, ...(separate && { databaseUrl: separate.url }), ...options }));

  async function call(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> {
    const reply = await fetch(service.origin + path, apiRequest(method, options));
    const envelope = (await reply.json()) as ApiResponse['body'];
    demandDocumented(method, path, reply.status, envelope.message);
    return { status: reply.status, headers: reply.headers, body: envelope };
  }

  /** The response to a POST itself, such as a stream. */
  const open = (path: string, key: string, body: unknown, more: RequestInit = {}): Promise<Response> =>
    fetch(service.origin + path, { ...apiRequest('POST', { key, body }), ...more });

  async function post(path: string, body: unknown): Promise<any> {
    if (path.startsWith('/_local/')) deployed?.onlyHere();
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await fetch(service.origin + path, init)).json();
  }

  const mailsHere = async () =>
    (await (await fetch(`${service.origin}/_local/mail`)).json()) as { to: string[]; text: string }[];

  /** The token of the newest email with one to an address. Waits until it arrives. */
  async function mailedToken(email: string, not = ''): Promise<string> {
    for (const end = performance.now() + 15_000; performance.now() < end; await sleep(25)) {
      const mails = deployed ? await deployed.mails() : await mailsHere();
      const texts = mails.flatMap(({ to, text }) => (to.includes(email) ? [text] : []));
      const token = texts.map((text) => /token=(\w+)/.exec(text)?.[1]).find(Boolean);
      if (token && token !== not) return token;
    }
    throw new Error(`no mail to ${email} came`);
  }

  let people = deployed ? Date.now() * 100 : 0;

  /** Registers a new account; `cookie` is its session. */
  async function registered() {
    people += 1;
    const email = `person-${people}@example.com`;
    const password = 'a quiet river bank';
    const registration = await call('POST', '/api/auth/register', {
      body: { email, name: `Person ${people}`, password_hash: password },
    });
    return { email, password, id: Number(registration.body.data.id), cookie: cookieOf(registration) };
  }

  /** Creates a confirmed account with a key, optionally on a plan and with an exact number of credits. */
  async function person({ planRank, credits }: { planRank?: number; credits?: number } = {}) {
    const somebody = await registered();
    const { cookie, id } = somebody;
    await confirmed(id);
    const made = await call('POST', '/api/keys', { cookie, body: { name: 'test' } });
    if (planRank) await services().subscriptions().assign(id, String(planRank));
    if (credits !== undefined) await leave(id, credits * 1_000_000);
    return { ...somebody, key: String(made.body.data.key), keyId: String(made.body.data.id) };
  }

  /** Writes to the database, because the emailed link would take longer. */
  const confirmed = (accountId: number) => setInRow('accounts', userKey(accountId), 'confirmedAt', Date.now());

  /** Removes all but this many microcredits, as if they had been spent. */
  async function leave(accountId: number, spendable: number): Promise<void> {
    await services()
      .metering()
      .change(accountId, Date.now(), (meter) => ({ meter: { ...meter, spendable, seq: meter.seq + 1 }, entries: [] }));
  }

  async function close(): Promise<void> {
    await service.close();
    await separate?.close();
    await removeFolder(folder);
  }

  return { ...service, folder, call, open, post, mailedToken, registered, person, close };
}

interface FileOptions extends Partial<ServiceOptions> {
  /** Set before the service starts. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the service before the tests of a file. Options that depend on what earlier hooks started are a function. */
export function useTestService(options: FileOptions | (() => FileOptions) = {}): TestService {
  const service = {} as TestService;
  beforeAll(async () => {
    const { environment, ...about } = typeof options === 'function' ? options() : options;
    Object.assign(process.env, environment);
    Object.assign(service, await startTestService(about));
  });
  afterAll(() => service.close());
  return service;
}

export function usePerson(service: TestService, about?: Parameters<TestService['person']>[0]): Person {
  const person = {} as Person;
  beforeAll(async () => void Object.assign(person, await service.person(about)));
  return person;
}

/** Findings of the audit of all ledgers, once every entry is written. */
export async function auditFindings({ settled }: Pick<TestService, 'settled'>): Promise<unknown[]> {
  await settled();
  const findings: unknown[] = [];
  await (await services().auditor()).audit((finding) => findings.push(finding));
  return findings;
}

/** Admits a call of the chat model that holds these microcredits. */
export function holdOpen(accountId: number, amount: number, about: { keyId?: string; requestId: string }) {
  const now = services().clock.now();
  const call = { service: 'chat', model: 'svc-1', minPlanRank: 1, deadline: Math.floor(now / 1000) + 90 } as const;
  return services()
    .metering()
    .admit({ accountId, amount, keyId: about.keyId, requestId: about.requestId, ...call, now });
}

export const code = ({ status, body }: Pick<ApiResponse, 'status' | 'body'>): string => `${status} ${body.message}`;

export const cookieOf = ({ headers }: ApiResponse): string => headers.getSetCookie()[0]?.split(';')[0] ?? '';

export const chat = (content = 'Hello') => ({ model: 'svc-1', messages: [{ role: 'user', content }] });
