import * as v from 'valibot';
import { readStored, removeStored, store, storedNames } from '../lib/storage.ts';

/**
 * Local storage of an account, under names with its id. It survives an expired session, and is deleted when the account
 * signs out in this browser or another account signs in.
 */
const prefix = 'kept:';
const prefixOf = (id: number): string => `${prefix}${id}:`;
let isStorageClosed = false;

/** Stores a value. Returns false if it cannot be stored, for example while the document is being left. */
export const keep = (id: number, name: string, value: string): boolean =>
  !isStorageClosed && store('localStorage', prefixOf(id) + name, value);

export const forget = (id: number, name: string): void => removeStored('localStorage', prefixOf(id) + name);

/** Returns the account's values whose names begin with `start`. */
export function kept(id: number, start: string): { readonly value: string }[] {
  return storedNames('localStorage')
    .filter((name) => name.startsWith(prefixOf(id) + start))
    .flatMap((name) => {
      const value = readStored('localStorage', name);
      return value === null ? [] : [{ value }];
    });
}

/** Deletes the values of every account, or of every account except one. */
export function forgetKept(except?: number): void {
  const others = storedNames('localStorage').filter(
    (name) => name.startsWith(prefix) && (except === undefined || !name.startsWith(prefixOf(except))),
  );
  for (const name of others) removeStored('localStorage', name);
}

/** Deletes the values of every account, and stores no more in this document. */
export function closeAccountStorage(): void {
  isStorageClosed = true;
  forgetKept();
}

/**
 * Session storage items of this tab: work in progress, unsaved agents, an unsent message, text to synthesize, and API
 * keys entered to try operations or to fill examples. They survive navigation and reloads and are deleted when the
 * session ends in this tab. Other accounts cannot read them.
 */
const names = {
  work: 'tab-memory',
  agents: 'unsaved-agents',
  message: 'unsent-message',
  speech: 'unspoken-text',
  entered: 'entered-key',
  example: 'example-key',
} as const;
type Slot = keyof typeof names;
const slots = Object.values(names);
const Memory = v.pipe(v.string(), v.parseJson(), v.object({ account: v.number(), value: v.unknown() }));
let isMemoryClosed = false;

/** Returns the account's value, or undefined if it is missing or does not match the schema. Account 0 means no session. */
export function recall<S extends v.GenericSchema>(
  id: number,
  schema: S,
  slot: Slot = 'work',
): v.InferOutput<S> | undefined {
  const memory = v.safeParse(Memory, readStored('sessionStorage', names[slot]));
  if (!memory.success || memory.output.account !== id) return undefined;
  const read = v.safeParse(schema, memory.output.value);
  return read.success ? read.output : undefined;
}

/** Replaces the account's value. Does nothing while the document is being left. */
export function remember(id: number, value: unknown, slot: Slot = 'work'): void {
  if (!isMemoryClosed) store('sessionStorage', names[slot], JSON.stringify({ account: id, value }));
}

/** Deletes the values of other accounts. */
export function forgetOtherAccounts(id: number): void {
  for (const name of slots) {
    const memory = v.safeParse(Memory, readStored('sessionStorage', name));
    if (memory.success && memory.output.account !== id) removeStored('sessionStorage', name);
  }
}

/** Deletes all values. */
export function clearTabMemory(): void {
  for (const name of slots) removeStored('sessionStorage', name);
}

/** Deletes all values, and stores no more in this document. */
export function closeTabMemory(): void {
  isMemoryClosed = true;
  clearTabMemory();
}
