import { createHash } from 'node:crypto';
import type { ServiceName } from '#contract/billing/prices.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { isJsonObject } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Clock } from './ports.ts';
import { ServiceError } from './service-error.ts';

/** The response to a request: the parts that its envelope was made of, and that every replay's is made of again. */
export type KeptResponse = KeptSuccess | KeptRefusal;

export interface KeptSuccess {
  readonly status: number;
  readonly message: string;
  readonly data: unknown;
}

export interface KeptRefusal {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** One request's hold on an Idempotency-Key. `id` and `fingerprint` are hashes: neither key nor input is stored. */
export interface Claim {
  readonly id: string;
  readonly requestId: string;
  readonly fingerprint: string;
}

/** The service and model of a priced request. `model` is empty for a service without one. */
export interface UsedModel {
  readonly service: ServiceName;
  readonly model: string;
}

/** What is stored of the request that came first with a key. */
export interface IdempotencyRecord {
  readonly requestId: string;
  readonly fingerprint: string;
  readonly running: boolean;
  /** Epoch ms. While the request runs, the end of its claim. */
  readonly expiresAt: number;
  /** Undefined while the request runs, and for an unpriced request. */
  readonly used: UsedModel | undefined;
  /** Undefined while it runs, and for a response that is not kept. */
  readonly response: KeptResponse | undefined;
}

/** Moments in epoch ms. All writes may be repeated, and touch nothing that another request stored. */
export interface IdempotencyStore {
  /** Takes the key until `expiresAt`; gives the record that stands in the way at `now`, if there is one. */
  claim(claim: Claim, now: number, expiresAt: number): Promise<IdempotencyRecord | undefined>;
  /** Puts the response in the claim's place, unless the claim has expired and is another request's. */
  keep(claim: Claim, response: KeptResponse | undefined, expiresAt: number, used?: UsedModel): Promise<void>;
  release(claim: Claim): Promise<void>;
  /** Increments the counter `id`. Returns false without incrementing if it has reached `max`. A retry may count twice. */
  count(id: string, max: number, expiresAt: number): Promise<boolean>;
}

const dayMs = 24 * 60 * 60 * 1000;
const keptMs = dayMs;
const maxKeptBytes = 256 * 1024;

/** OpenAI's SDKs ignore longer waits and use their own backoff, which starts at 0.5 s. */
const maxRetryAfterSeconds = 60;

export type Idempotency = ReturnType<typeof idempotency>;

/** Lets one request of all that carry the same Idempotency-Key run (docs/api.md#idempotency). */
export function idempotency(store: IdempotencyStore, clock: Clock) {
  /** Takes the key for so many ms; gives the record of the request that came before, if there is one. */
  async function claim(claim: Claim, lifetimeMs: number): Promise<IdempotencyRecord | undefined> {
    const now = clock.now();
    return store.claim(claim, now, now + lifetimeMs);
  }

  /** Counts an unpriced request. Throws 429 above the daily limit of the account. */
  async function countUnpriced(accountId: number): Promise<void> {
    const now = clock.now();
    const { id, endsAt } = dailyCounter(accountId, now);
    const max = limits.unpricedIdempotencyKeysPerDay;
    if (await store.count(id, max, endsAt)) return;
    const detail = `An account can send at most ${max} uncharged requests with an Idempotency-Key per day (UTC). Send this one without the header, or try again tomorrow.`;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds: Math.ceil((endsAt - now) / 1000) });
  }

  /** Keeps the response for 24 h; of one that is too large, or undefined, only that there was one. */
  async function keep(claim: Claim, response: KeptResponse | undefined, used?: UsedModel): Promise<void> {
    const fits = Buffer.byteLength(JSON.stringify(response) ?? '') <= maxKeptBytes;
    await store.keep(claim, fits ? response : undefined, clock.now() + keptMs, used);
  }

  /** Returns the response to replay. Throws 422 or 409 if there is none. `lifetimeMs` as in the claim. */
  function responseFor(claim: Claim, record: IdempotencyRecord, lifetimeMs: number): KeptResponse {
    const { requestId, running, response } = record;
    if (record.fingerprint !== claim.fingerprint) throw keyReused();
    if (running) throw stillRunning(record.expiresAt, lifetimeMs, clock.now());
    if (response) return response;
    const detail = `The request ${requestId} with this Idempotency-Key has completed; its response cannot be replayed.`;
    throw new ServiceError('REPLAY_UNAVAILABLE', detail, { originalRequestId: requestId });
  }

  return { claim, countUnpriced, keep, responseFor, release: (claim: Claim) => store.release(claim) };
}

/** The counter of an account's unpriced requests in the UTC day of `now`, and the end of that day (epoch ms). */
export function dailyCounter(accountId: number, now: number): { id: string; endsAt: number } {
  const day = Math.floor(now / dayMs);
  return { id: digest(`unpriced\n${accountId}\n${day}`), endsAt: (day + 1) * dayMs };
}

/**
 * The 409 for a repeat while the first request runs. The wait is twice the time that the request has run, because an
 * SDK has one or two attempts left and the remaining time is unknown (docs/adr/0024-retries-of-sdks.md).
 */
function stillRunning(expiresAt: number, lifetimeMs: number, now: number): ServiceError {
  const runningSeconds = (now - (expiresAt - lifetimeMs)) / 1000;
  const wait = Math.min(2 * runningSeconds, (expiresAt - now) / 1000, maxRetryAfterSeconds);
  const retryAfterSeconds = Math.max(1, wait);
  const detail = `The first request with this Idempotency-Key is still running; try again in ${Math.ceil(retryAfterSeconds)} s.`;
  return new ServiceError('REQUEST_IN_PROGRESS', detail, { retryAfterSeconds });
}

/** What a request claims with its key. All keys and sessions of an account share one scope, per route. */
export function claimOf(request: {
  readonly accountId: number;
  readonly routeId: string;
  readonly key: string;
  readonly requestId: string;
  /** As the route's schemas made it. */
  readonly input: unknown;
}): Claim {
  const { accountId, routeId, key, requestId, input } = request;
  return { id: digest(`${accountId}\n${routeId}\n${key}`), requestId, fingerprint: digest(canonical(input)) };
}

/** The refusal (422) of a request whose Idempotency-Key came with another body before. */
export function keyReused(): ServiceError {
  const detail = 'The Idempotency-Key was used for a request with a different body. Use a new key for each request.';
  return new ServiceError('IDEMPOTENCY_KEY_REUSED', detail);
}

/**
 * Whether a refusal stays the same however often the request is repeated; after the others a retry may succeed. A reused key belongs to the
 * request that came first, which is to find its response.
 */
export function isFinal(code: ErrorCode): boolean {
  const status = errorStatus[code];
  return status < 500 && status !== 402 && status !== 429 && code !== 'IDEMPOTENCY_KEY_REUSED';
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The same text for the same value, in whatever order its fields came; a file is its digest. */
function canonical(value: unknown): string {
  return JSON.stringify(ordered(value));
}

/** Bytes come first: as JSON, each would be a number of its own. */
function ordered(value: unknown): unknown {
  if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('base64url');
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, ordered(inner)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
