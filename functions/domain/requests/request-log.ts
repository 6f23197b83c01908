import type { InferOutput } from 'valibot';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { operationId } from '#contract/http/format.ts';
import { type RecordedLine, requestRetentionDays } from '#contract/platform/request-record.ts';
import type { RequestQuery } from '#contract/requests/request-list.ts';
import { epochMs } from '#contract/shared/fields.ts';
import { dayMs, iso } from '#contract/shared/time.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

type Query = InferOutput<typeof RequestQuery>;

export interface RequestFilter {
  readonly from: number;
  readonly to: number;
  readonly status?: { readonly min: number; readonly max: number } | undefined;
  readonly service?: ServiceName | undefined;
  readonly model?: string | undefined;
  readonly keyId?: string | undefined;
  readonly requestId?: string | undefined;
  /** A part of the error code or detail, in any case. */
  readonly error?: string | undefined;
}

export interface RequestStore {
  /** Stores a record until `expiresAt` (epoch ms). Idempotent. */
  put(line: RecordedLine, expiresAt: number): Promise<void>;
  /** Newest first, before `cursor`, a place that `next` returned. A page may be shorter if few records match. */
  page(
    accountId: number,
    filter: RequestFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<{ rows: RecordedLine[]; next: string | null }>;
}

export type KeyNames = (accountId: number, keyIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const retentionMs = requestRetentionDays * dayMs;

const concurrentWrites = 100;

export async function recordRequests(
  store: Pick<RequestStore, 'put'>,
  clock: Clock,
  lines: readonly RecordedLine[],
): Promise<void> {
  const kept = lines.filter(({ record }) => record.at + retentionMs > clock.now());
  for (let first = 0; first < kept.length; first += concurrentWrites) {
    const batch = kept.slice(first, first + concurrentWrites);
    await Promise.all(batch.map((line) => store.put(line, line.record.at + retentionMs)));
  }
}

export function requestLog(store: Pick<RequestStore, 'page'>, keyNames: KeyNames, clock: Clock) {
  async function list(accountId: number, query: Query) {
    const after = query.cursor === undefined ? undefined : placeAt(query.cursor);
    const { rows, next } = await store.page(accountId, filterOf(query, clock.now()), query.limit, after);
    const keyIds = new Set(rows.flatMap(({ keyId }) => keyId ?? []));
    const names = await keyNames(accountId, [...keyIds]);
    return {
      requests: rows.map((row) => shown(row, names)),
      nextCursor: next === null ? null : cursorAt(next),
      ...(next !== null && { searchedTo: next.slice(0, next.indexOf('#')) }),
    };
  }
  return { list };
}

const cursorAt = (place: string): string => Buffer.from(place).toString('base64url');

function placeAt(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{4}-[\dT:.-]{18}Z#\w+$/.test(place) && cursorAt(place) === cursor) return place;
  throw new ServiceError('INVALID_FORMAT', 'cursor must be the nextCursor of the previous page.');
}

function filterOf({ from, to, status, ...others }: Query, now: number): RequestFilter {
  const first = from === undefined ? 0 : timeOf(from);
  const last = to === undefined ? now : timeOf(to) + (isDay(to) ? dayMs - 1 : 0);
  if (from !== undefined && to !== undefined && first > last)
    throw new ServiceError('INVALID_FORMAT', 'from must not be after to.');
  const { service, model, keyId, requestId, error } = others;
  return {
    from: Math.max(first, now - retentionMs),
    to: last,
    status: status === undefined ? undefined : statuses(status),
    service,
    model,
    keyId,
    requestId,
    error,
  };
}

const isDay = (value: string): boolean => value.length === '2027-01-31'.length;
const timeOf = (value: string): number => (isDay(value) ? Date.parse(value) : epochMs(value));

function statuses(status: string): { min: number; max: number } {
  if (!status.endsWith('xx')) return { min: Number(status), max: Number(status) };
  const min = Number(status[0]) * 100;
  return { min, max: min + 99 };
}

function shown(
  { requestId, route, status, code, keyId, latency, firstByte, cost, record }: RecordedLine,
  names: ReadonlyMap<string, string>,
) {
  const { at, service, model, isStream, promptTokens, completionTokens, detail, headers, unlisted, contentDays } =
    record;
  return {
    requestId,
    at: iso(at),
    route: route === undefined ? null : operationId(route),
    status,
    message: code ?? 'SUCCESS',
    detail: detail ?? null,
    service,
    model: model ?? null,
    keyId: keyId ?? null,
    keyName: keyId === undefined ? null : (names.get(keyId) ?? null),
    isStream,
    promptTokens: promptTokens ?? null,
    completionTokens: completionTokens ?? null,
    latencyMs: latency,
    firstByteMs: firstByte ?? null,
    credits: cost / microPerCredit,
    headers: { 'x-request-id': requestId, ...headers },
    unlisted: unlisted ?? 0,
    contentExpiresAt: contentDays === undefined ? null : iso(at + contentDays * dayMs),
  };
}
