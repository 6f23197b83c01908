import { createHash } from 'node:crypto';
import type { ServiceName } from '#contract/billing/prices.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { isJsonObject } from '#contract/shared/json.ts';
import { limits } from '#contract/shared/limits.ts';
import { dayMs } from '#contract/shared/time.ts';
import type { Clock } from './ports.ts';
import { ServiceError } from './service-error.ts';

export type RecordedResponse = RecordedSuccess | RecordedRefusal;

export interface RecordedSuccess {
  readonly status: number;
  readonly message: string;
  readonly data: unknown;
}

export interface RecordedRefusal {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** `id` and `fingerprint` are hashes, so that neither key nor input is stored. */
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

export interface IdempotencyRecord {
  readonly requestId: string;
  readonly fingerprint: string;
  readonly running: boolean;
  readonly expiresAt: number;
  readonly used: UsedModel | undefined;
  /** Undefined while the request runs, and for a response that was not stored. */
  readonly response: RecordedResponse | undefined;
}

/** Times in epoch ms. All writes are idempotent and never affect another request's record. */
export interface IdempotencyStore {
  claim(claim: Claim, now: number, expiresAt: number): Promise<IdempotencyRecord | undefined>;
  /** Completes the claim with the response, unless the claim expired and another request owns the key. */
  complete(claim: Claim, response: RecordedResponse | undefined, expiresAt: number, used?: UsedModel): Promise<void>;
  release(claim: Claim): Promise<void>;
  /** Returns false at `max`. A retry may count twice. */
  count(id: string, max: number, expiresAt: number): Promise<boolean>;
}

const retentionMs = dayMs;
const maxKeptBytes = 256 * 1024;

/** OpenAI's SDKs ignore longer waits and use their own backoff, which starts at 0.5 s. */
const maxRetryAfterSeconds = 60;

export type Idempotency = ReturnType<typeof idempotency>;

/** Runs a single request per Idempotency-Key (docs/api.md#idempotency). */
export function idempotency(store: IdempotencyStore, clock: Clock) {
  async function claim(claim: Claim, lifetimeMs: number): Promise<IdempotencyRecord | undefined> {
    const now = clock.now();
    return store.claim(claim, now, now + lifetimeMs);
  }

  async function countUnpriced(accountId: number): Promise<void> {
    const now = clock.now();
    const { id, endsAt } = dailyCounter('unpriced', accountId, now);
    const max = limits.unpricedIdempotencyKeysPerDay;
    if (await store.count(id, max, endsAt)) return;
    const detail = `An account can send at most ${max} uncharged requests with an Idempotency-Key per day (UTC). Send this one without the header, or try again tomorrow.`;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds: Math.ceil((endsAt - now) / 1000) });
  }

  /**
   * Counts a call of the UTC day whose reply did not fit its format. Returns the end of the day (epoch ms) if there
   * were too many.
   */
  async function countMismatch(accountId: number): Promise<number | undefined> {
    const { id, endsAt } = dailyCounter('mismatches', accountId, clock.now());
    return (await store.count(id, limits.mismatchesPerDay, endsAt)) ? undefined : endsAt;
  }

  /** Stores the response for 24 h. If it is undefined or too large, stores only that the request completed. */
  async function storeResponse(claim: Claim, response: RecordedResponse | undefined, used?: UsedModel): Promise<void> {
    const fits = Buffer.byteLength(JSON.stringify(response) ?? '') <= maxKeptBytes;
    await store.complete(claim, fits ? response : undefined, clock.now() + retentionMs, used);
  }

  /** Returns the response to replay. Throws 422 or 409 without one. `lifetimeMs` as in the claim. */
  function responseFor(claim: Claim, record: IdempotencyRecord, lifetimeMs: number): RecordedResponse {
    const { requestId, running, response } = record;
    if (record.fingerprint !== claim.fingerprint) throw keyReused();
    if (running) throw stillRunning(record.expiresAt, lifetimeMs, clock.now());
    if (response) return response;
    const detail = `The request ${requestId} with this Idempotency-Key has completed; its response cannot be replayed.`;
    throw new ServiceError('REPLAY_UNAVAILABLE', detail, { originalRequestId: requestId });
  }

  return {
    claim,
    countUnpriced,
    countMismatch,
    storeResponse,
    responseFor,
    release: (claim: Claim) => store.release(claim),
  };
}

/** Returns the counter of the UTC day, and its end (epoch ms). */
export function dailyCounter(
  kind: 'unpriced' | 'mismatches',
  accountId: number,
  now: number,
): { id: string; endsAt: number } {
  const day = Math.floor(now / dayMs);
  return { id: digest(`${kind}\n${accountId}\n${day}`), endsAt: (day + 1) * dayMs };
}

/**
 * Waits twice the time that the first request has run, because an SDK has one or two attempts left
 * (docs/adr/0024-retries-of-sdks.md).
 */
function stillRunning(expiresAt: number, lifetimeMs: number, now: number): ServiceError {
  const runningSeconds = (now - (expiresAt - lifetimeMs)) / 1000;
  const wait = Math.min(2 * runningSeconds, (expiresAt - now) / 1000, maxRetryAfterSeconds);
  const retryAfterSeconds = Math.max(1, wait);
  const detail = `The first request with this Idempotency-Key is still running; try again in ${Math.ceil(retryAfterSeconds)} s.`;
  return new ServiceError('REQUEST_IN_PROGRESS', detail, { retryAfterSeconds });
}

export function claimOf(request: {
  readonly accountId: number;
  readonly routeId: string;
  readonly key: string;
  readonly requestId: string;
  readonly input: unknown;
}): Claim {
  const { accountId, routeId, key, requestId, input } = request;
  return { id: digest(`${accountId}\n${routeId}\n${key}`), requestId, fingerprint: digest(canonical(input)) };
}

export function keyReused(): ServiceError {
  const detail = 'The Idempotency-Key was used for a request with a different body. Use a new key for each request.';
  return new ServiceError('IDEMPOTENCY_KEY_REUSED', detail);
}

/** Returns whether a retry yields the same refusal. A reused key keeps the first request's response. */
export function isFinal(code: ErrorCode): boolean {
  const status = errorStatus[code];
  return status < 500 && status !== 402 && status !== 429 && code !== 'IDEMPOTENCY_KEY_REUSED';
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Serializes a value independently of the order of its fields. Files are replaced by their digests. */
function canonical(value: unknown): string {
  return JSON.stringify(ordered(value));
}

/** Bytes precede arrays: as JSON, each byte would become a number. */
function ordered(value: unknown): unknown {
  if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('base64url');
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, ordered(inner)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
