import * as v from 'valibot';
import { keyRoutes } from '#contract/routes/keys.ts';
import { limitPeriods } from '#contract/shared/limits.ts';
import { iso } from '#contract/shared/time.ts';
import { playgroundKeyName } from '../lib/offer.ts';
import { documentAccount } from './account.ts';
import { call, confirmAccount, perform } from './call.ts';
import { serverNow } from './config.ts';
import { followUp, queryClient } from './query-client.ts';
import { ApiError } from './response.ts';

/** Empty if unreadable. Null means never. */
const date = v.fallback(v.nullable(v.string()), '');

/** Null if the key has no limit, or a kind of limit that this page does not know. */
const limit = v.fallback(
  v.nullable(
    v.object({
      credits: v.number(),
      period: v.picklist(limitPeriods),
      used: v.number(),
      resetsAt: v.nullable(v.string()),
    }),
  ),
  null,
);
const names = v.fallback(v.nullable(v.array(v.string())), null);

/**
 * A key as shown on the page. It accepts more than the contract allows: an unreadable row or an unknown status must not
 * hide the other keys and the way to revoke them.
 */
const KeyRecord = v.object({
  id: v.string(),
  name: v.fallback(v.pipe(v.string(), v.nonEmpty()), 'Unnamed key'),
  prefix: v.fallback(v.string(), ''),
  lastFour: v.fallback(v.string(), ''),
  status: v.fallback(v.string(), 'unreadable'),
  suspendedByOperator: v.fallback(v.boolean(), false),
  createdAt: date,
  createdBy: v.fallback(v.nullable(v.number()), null),
  expiresAt: date,
  lastUsedAt: date,
  limit,
  models: names,
  services: names,
  contentDays: v.fallback(v.nullable(v.number()), null),
});
export type KeyRecord = v.InferOutput<typeof KeyRecord>;

export const KeyRecords = v.array(KeyRecord);

/** The contract's route with a more tolerant schema. */
export const listKeys = { ...keyRoutes.listKeys, output: KeyRecords };

/** Short, because after the session expires no page can revoke the key. */
const playgroundKeyMs = 15 * 60_000;
/** Tolerates an error of the browser's clock, which determines the expiry. */
const toleranceMs = 3_600_000;

/** Returns true for a key created by the playground. A user's own key of the same name lives longer. */
export function isPlaygroundKey({ name, createdAt, expiresAt }: KeyRecord): boolean {
  if (name !== playgroundKeyName) return false;
  return Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '') < playgroundKeyMs + toleranceMs;
}

/** Title of a key. All playground keys share one title. */
export const keyTitle = (key: KeyRecord): string =>
  isPlaygroundKey(key) ? playgroundKeyName : `${key.name} …${key.lastFour}`;

/** Revokes the playground's keys of all tabs, but not those of other members. */
export async function revokePlaygroundKeys(): Promise<void> {
  const keys = await call(listKeys, {});
  const isOwn = ({ createdBy }: KeyRecord): boolean => createdBy === null || createdBy === documentAccount();
  const living = keys.filter((key) => key.status === 'active' && isPlaygroundKey(key) && isOwn(key));
  await Promise.all(living.map(({ id }) => perform(keyRoutes.revokeKey, { path: { id } })));
}

interface CachedKey {
  readonly key: string;
  /** Epoch milliseconds by the service's clock. */
  readonly until: number;
}

/** Belongs to this document's account, like all of its memory (`api/account.ts`). */
let cached: CachedKey | undefined;
/** The key creation in progress. Concurrent calls share it, because a new key revokes the previous ones. */
let creation: Promise<CachedKey> | undefined;

/**
 * Runs a call with a short-lived key, which is created on first use. A key that another tab has revoked is replaced
 * once.
 */
export async function withPlaygroundKey<Result>(act: (key: string) => Promise<Result>): Promise<Result> {
  const now = await serverNow();
  const isFresh = cached === undefined || cached.until <= now;
  const key = await keyAt(now);
  try {
    return await act(key);
  } catch (error) {
    if (isFresh || !(error instanceof ApiError) || error.code !== 'INVALID_API_KEY') throw error;
    // A concurrent call may have replaced it already.
    if (cached?.key === key) cached = undefined;
    return act(await keyAt(now));
  }
}

/** Returns a key after confirming that the session still belongs to its account. */
async function keyAt(now: number): Promise<string> {
  try {
    if (!cached || cached.until <= now) {
      creation ??= createKey(now).finally(() => {
        creation = undefined;
      });
      cached = await creation;
    }
    const { key } = cached;
    await confirmAccount();
    return key;
  } catch (error) {
    if (error instanceof ApiError) followUp(error);
    throw error;
  }
}

async function createKey(now: number): Promise<CachedKey> {
  try {
    await revokePlaygroundKeys();
    const expiresAt = iso(now + playgroundKeyMs);
    const { key } = await call(keyRoutes.createKey, { body: { name: playgroundKeyName, expiresAt } });
    return { key, until: now + playgroundKeyMs - 60_000 };
  } finally {
    void queryClient.invalidateQueries({ queryKey: [keyRoutes.listKeys.id] });
  }
}
