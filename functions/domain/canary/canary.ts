import * as v from 'valibot';
import type { LedgerPage } from '#contract/billing/credits.ts';
import { freePlanRank } from '#contract/billing/plans.ts';
import { tokenCost, microPerCredit } from '#contract/billing/prices.ts';
import type { Route } from '#contract/http/route.ts';
import { isCallable, type Model, servedModel } from '#contract/inference/models.ts';
import { ChatCompletionChunk } from '#contract/inference/stream-events.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { hourMs } from '#contract/shared/time.ts';
import type { StoredToken } from '../accounts/account.ts';
import { confirmationMail } from '../accounts/mails.ts';
import type { MailOutcome } from '../mail/mail.ts';
import { issueCredential, newRequestId } from '../shared/credential.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';

const walkMs = 100_000;
const leaveMs = 30_000;

const { register, login } = signInRoutes;
const { me, confirm, deleteAccount } = accountRoutes;

/**
 * Returns the id of the named model or its first replacement that new accounts can chat with, or else of the first such
 * model of the catalog. Empty if none exists.
 */
export function canaryModel(named: string, catalog: readonly Model[]): string {
  const fits = ({ capabilities, minPlanRank }: Model) => capabilities.includes('chat') && minPlanRank === freePlanRank;
  const find = (id: string) => catalog.find((model) => model.id === id || model.aliases.includes(id));
  const served = servedModel(named, fits, find) ?? catalog.find((model) => isCallable(model) && fits(model));
  return served?.id ?? '';
}

/** Uses the API like a new user, from registration to deletion. Throws a CanaryFailure with the failed step. */
export async function walkAsNewUser(parts: CanaryParts): Promise<void> {
  const { random, senderFor } = parts;
  const send = senderFor(walkMs);
  // SES's mailbox simulator accepts any label of this address.
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
    // If this fails, the purge scheduled by `prepare` deletes the account.
    if (session) await leave(senderFor(leaveMs), goodbye, session).catch(() => undefined);
  }
}

async function leave(send: SendRequest, body: object, headers: RequestHeaders): Promise<void> {
  await perform(send, deleteAccount, { body, headers });
  await expectRefusal(send, me, 'INVALID_API_KEY', { headers });
}

/** Replaces the emailed token, because the canary cannot read a mailbox. Returns it once SES accepted the email. */
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

const { createChatCompletion } = inferenceRoutes;
const { createKey, revokeKey } = keyRoutes;

async function chatWithNewKey(parts: CanaryParts, send: SendRequest, session: RequestHeaders): Promise<void> {
  const { data: key } = await step('create a key', () =>
    call(send, createKey, { body: { name: 'canary' }, headers: session }),
  );
  const headers = { authorization: `Bearer ${key.key}` };
  const body = { model: parts.model, messages: [{ role: 'user', content: 'Name one river.' }], max_tokens: 16 };
  const before = await step('see its credits', () => creditsOf(send, headers));
  const plain = await step('chat', async () => {
    const { data, response } = await call(send, createChatCompletion, { body, headers });
    expectText(data.choices[0]?.message.content);
    return response;
  });
  const streamed = await step('stream a chat', async () => {
    const { text, response } = await stream(send, createChatCompletion, { body: { ...body, stream: true }, headers });
    expectText(text);
    return response;
  });
  await step('be charged', async () => {
    await expectCharges({ balance: before.balance, plain, streamed }, parts, () => creditsOf(send, headers));
  });
  await step('revoke the key', async () => {
    await call(send, revokeKey, { path: revokeKey.path.replace('{id}', key.id), headers: session });
    await expectRefusal(send, createChatCompletion, 'INVALID_API_KEY', { body, headers });
  });
}

const creditsOf = async (send: SendRequest, headers: RequestHeaders) =>
  (await call(send, creditRoutes.getCredits, { headers })).data;

function expectText(text: string | undefined): void {
  if (!text) throw new Error('the model returned no text');
}

interface Spent {
  readonly balance: number;
  readonly plain: CallerResponse;
  readonly streamed: CallerResponse;
}

/** Throws unless the ledger contains each chat at its exact price and the balance decreased by their sum. */
async function expectCharges(
  { balance, plain, streamed }: Spent,
  parts: CanaryParts,
  read: () => ReturnType<typeof creditsOf>,
): Promise<void> {
  const chats = [plain, streamed];
  const rows = await eventually(parts, async () => {
    const { entries } = await read();
    const charges = entries.filter(({ type }) => type === 'charge');
    return charges.length < chats.length ? undefined : charges;
  });
  if (!rows) throw new Error('the ledger lacks a charge');
  const priced = rows.map((row) => ({ ...row, micro: priceOf(row) }));
  const shown = Number(plain.headers.get('x-credits-charged') ?? Number.NaN);
  const plainRow = priced.find(({ requestId }) => requestId === plain.headers.get('x-request-id'));
  const price = (plainRow?.micro ?? 0) / microPerCredit;
  if (shown !== price) throw new Error(`the chat was charged ${shown}, not ${price}`);
  const requestIds = new Set(chats.map(({ headers }) => headers.get('x-request-id')));
  const isExact = priced.every(
    ({ credits, micro, requestId }) => credits === -micro / microPerCredit && requestIds.has(requestId ?? ''),
  );
  const { balance: left, held } = await read();
  const sum = priced.reduce((total, { micro }) => total + micro, 0) / microPerCredit;
  // Balances are rounded down to whole credits.
  const isTaken = Math.abs(balance - left - sum) < 1;
  if (isExact && rows.length === chats.length && isTaken && held === 0) return;
  throw new Error(`two chats took ${balance - left} credits in ${rows.length} charges, and ${held} are held`);
}

type Entry = v.InferOutput<typeof LedgerPage>['entries'][number];

/**
 * Microcredits of a charge, by the price and the tokens of its row. During a rollout, the earlier version of the offer
 * may have another price.
 */
function priceOf({ price, tokens = { input: 0, cached: 0, output: 0 } }: Entry): number {
  if (!price) throw new Error('a charge has no price');
  const micro = (credits: number): number => Math.round(credits * microPerCredit);
  if ('unit' in price) return micro(price.credits);
  const rates = {
    perRequest: micro(price.perRequest),
    input: micro(price.input),
    cachedInput: micro(price.cachedInput),
    cacheWrite: micro(price.cacheWrite),
    output: micro(price.output),
  };
  return tokenCost(rates, tokens);
}

type Call = Pick<CallerRequest, 'body' | 'headers'> & { readonly path?: string };

/** Strict: only the four specified fields (docs/specification.md#response-envelope-all-json-responses). */
const envelopeOf = (status: number, message: string) =>
  v.pipe(
    v.string(),
    v.parseJson(),
    v.strictObject({
      message: v.literal(message),
      error: v.literal(false),
      data: v.unknown(),
      status: v.literal(status),
    }),
  );

const AnyEnvelope = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ message: v.pipe(v.string(), v.regex(/^[A-Z_]{1,64}$/)) }),
);

/** Throws unless the response has the route's status, envelope and output schema. */
async function call<R extends Route & { readonly output: v.GenericSchema }>(
  send: SendRequest,
  route: R,
  request: Call,
): Promise<{ readonly data: v.InferOutput<R['output']>; readonly response: CallerResponse }> {
  const { data, response } = await succeed(send, route, request);
  return { data: v.parse(route.output, data), response };
}

async function perform(send: SendRequest, route: Route, request: Call): Promise<void> {
  const { data } = await succeed(send, route, request);
  v.parse(v.null(), data);
}

async function succeed(send: SendRequest, route: Route, { path = route.path, ...rest }: Call) {
  const { status, message } = route.success;
  const response = await send({ method: route.method, path, ...rest });
  expectStatus(route, response, status);
  return { data: v.parse(envelopeOf(status, message), response.text).data, response };
}

/** Streams a chat and returns its text. Throws unless every event is valid and the last one marks the end. */
async function stream(send: SendRequest, route: Route, { path = route.path, ...rest }: Call) {
  const response = await send({ method: route.method, path, ...rest });
  expectStatus(route, response, 200);
  const events = response.text.split('\n\n').filter((event) => event !== '');
  const texts = events.map((event) => event.replace(/^data: /, ''));
  const chunks = texts.slice(0, -1).map((text) => {
    const { data } = v.parse(envelopeOf(200, 'STREAM_CHUNK'), text);
    return v.parse(ChatCompletionChunk, data);
  });
  v.parse(envelopeOf(200, 'STREAM_COMPLETE'), texts.at(-1) ?? '');
  return { text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), response };
}

async function expectRefusal(send: SendRequest, route: Route, code: ErrorCode, call: Call): Promise<void> {
  const { path = route.path, ...rest } = call;
  const response = await send({ method: route.method, path, ...rest });
  expectStatus(route, response, errorStatus[code]);
  if (codeOf(response) !== code) throw new Error(`${nameOf(route)} refused with ${codeOf(response)}, not ${code}`);
}

function expectStatus(route: Route, response: CallerResponse, status: number): void {
  if (response.status === status) return;
  throw new Error(`${nameOf(route)} returned ${response.status} ${codeOf(response)}, not ${status}`);
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

function codeOf({ text }: CallerResponse): string {
  const read = v.safeParse(AnyEnvelope, text);
  return read.success ? read.output.message : 'without an envelope';
}

export class CanaryFailure extends Error {
  override readonly name = 'CanaryFailure';
  readonly step: string;

  constructor(step: string, cause: unknown) {
    super(`a new user does not get past this step: ${step}`, { cause });
    this.step = step;
  }
}

async function step<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new CanaryFailure(name, cause);
  }
}

const polls = { max: 60, pauseMs: 500 } as const;

async function eventually<T>(
  { pause }: Pick<CanaryParts, 'pause'>,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let tries = 1; tries < polls.max; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(polls.pauseMs);
  }
  return look();
}

export interface CallerRequest {
  readonly method: Route['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: RequestHeaders;
}

export type RequestHeaders = Readonly<Record<string, string>>;

export interface CallerResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly cookies: readonly string[];
  readonly text: string;
}

/** Sends a request to the public address. Rejects if the response is incomplete. */
export type SendRequest = (request: CallerRequest) => Promise<CallerResponse>;

export interface CanaryPreparation {
  readonly token: StoredToken;
  readonly mail: OutgoingMail;
  readonly purgeAt: number;
}

export interface CanaryStore {
  /**
   * Replaces the token, emails it and schedules the purge. Returns false unless the account has this address and is
   * unconfirmed.
   */
  prepare(accountId: number, email: string, preparation: CanaryPreparation, now: number): Promise<boolean>;
  mailOutcome(id: string): Promise<MailOutcome | undefined>;
}

export interface CanaryParts {
  readonly senderFor: (withinMs: number) => SendRequest;
  readonly store: CanaryStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly pause: (ms: number) => Promise<void>;
  readonly model: string;
  readonly publicOrigin: string;
}
