import { keyRoutes } from '#contract/routes/keys.ts';
import { call, confirmAccount } from '../../../api/call.ts';
import { serverNow } from '../../../api/config.ts';
import { playgroundKeyMs, revokePlaygroundKeys } from '../../../api/keys.ts';
import { followUp, queryClient } from '../../../api/query-client.ts';
import { ApiError } from '../../../api/response.ts';
import { playgroundKeyName } from '../../../lib/names.ts';

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
    const expiresAt = new Date(now + playgroundKeyMs).toISOString();
    const { key } = await call(keyRoutes.createKey, { body: { name: playgroundKeyName, expiresAt } });
    return { key, until: now + playgroundKeyMs - 60_000 };
  } finally {
    void queryClient.invalidateQueries({ queryKey: [keyRoutes.listKeys.id] });
  }
}
