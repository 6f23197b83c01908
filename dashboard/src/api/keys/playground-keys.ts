import { keyRoutes } from '#contract/routes/keys.ts';
import { playgroundKeyName } from '../../lib/names.ts';
import { call, perform } from '../call.ts';
import { type KeyRecord, listKeys } from './key-list.ts';

/** Short, as a key outlives a session that expires: nothing is left then that could revoke it. */
export const playgroundKeyMs = 15 * 60_000;
/** The browser's clock, which the expiry comes from, may be wrong. */
const toleranceMs = 3_600_000;

/** True for a key that the playground made; a person's own key of the same name lives longer. */
export function isPlaygroundKey({ name, createdAt, expiresAt }: KeyRecord): boolean {
  if (name !== playgroundKeyName) return false;
  return Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '') < playgroundKeyMs + toleranceMs;
}

/** All keys of the playground have one title. */
export const keyTitle = (key: KeyRecord): string =>
  isPlaygroundKey(key) ? playgroundKeyName : `${key.name} …${key.lastFour}`;

/** Revokes what the playground has made, in whatever tab. */
export async function revokePlaygroundKeys(): Promise<void> {
  const keys = await call(listKeys, {});
  const living = keys.filter((key) => key.status === 'active' && isPlaygroundKey(key));
  await Promise.all(living.map(({ id }) => perform(keyRoutes.revokeKey, { path: { id } })));
}
