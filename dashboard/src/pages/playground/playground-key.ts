import { routes } from '#contract/routes.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { followUp, queryClient } from '../../api/query-client.ts';
import { serverNow } from '../../api/surroundings.ts';
import { playgroundKeyName } from '../../lib/names.ts';

const lifetimeMs = 3_600_000;

let held: { readonly key: string; readonly until: number } | undefined;

/**
 * Runs a call with a short-lived key, made when it is first needed. A key that another page of ours has revoked is
 * replaced once.
 */
export async function withPlaygroundKey<Result>(act: (key: string) => Promise<Result>): Promise<Result> {
  const now = await serverNow();
  const isFresh = held === undefined || held.until <= now;
  try {
    return await act(await keyAt(now));
  } catch (error) {
    if (isFresh || !(error instanceof ApiError) || error.code !== 'INVALID_API_KEY') throw error;
    held = undefined;
    return act(await keyAt(now));
  }
}

async function keyAt(now: number): Promise<string> {
  if (held && held.until > now) return held.key;
  try {
    await revokeOld();
    const expiresAt = new Date(now + lifetimeMs).toISOString();
    const { key } = await call(routes.createKey, { body: { name: playgroundKeyName, expiresAt } });
    held = { key, until: now + lifetimeMs - 60_000 };
    return key;
  } catch (error) {
    if (error instanceof ApiError) followUp(error);
    throw error;
  } finally {
    void queryClient.invalidateQueries({ queryKey: [routes.listKeys.id] });
  }
}

async function revokeOld(): Promise<void> {
  const keys = await call(routes.listKeys, {});
  const old = keys.filter(({ name, status }) => name === playgroundKeyName && status === 'active');
  await Promise.all(old.map(({ id }) => call(routes.revokeKey, { path: { id } })));
}
