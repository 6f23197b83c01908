import * as v from 'valibot';
import { readStored, removeStored, store, storedNames } from '../lib/storage.ts';

/**
 * An account's id, or the id with an organization's, `7:12`, for data of that organization. 0 on a page without a
 * session.
 */
export type Owner = number | string;

/**
 * Local storage of an account, under names with its id. It survives an expired session, and is deleted when the account
 * signs out in this browser or another account signs in.
 */
const prefix = 'kept:';
const prefixOf = (owner: Owner): string => `${prefix}${owner}:`;
let isStorageClosed = false;

/** Stores a value. Returns false if it cannot be stored, for example while the document is being left. */
export const keep = (owner: Owner, name: string, value: string): boolean =>
  !isStorageClosed && store('localStorage', prefixOf(owner) + name, value);

export const forget = (owner: Owner, name: string): void => removeStored('localStorage', prefixOf(owner) + name);

/** Returns the owner's values whose names begin with `start`. */
export function kept(owner: Owner, start: string): { readonly value: string }[] {
  return storedNames('localStorage')
    .filter((name) => name.startsWith(prefixOf(owner) + start))
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
 * Session storage items of this tab: work in progress, unsaved agents, an unsent message, text to synthesize, API keys
 * entered to try operations or to fill examples, and the chosen organization. They survive navigation and reloads and
 * are deleted when the session ends in this tab. Their names contain the owner, so that no other one can read them.
 */
const slots = {
  work: 'tab-memory',
  agents: 'unsaved-agents',
  message: 'unsent-message',
  speech: 'unspoken-text',
  entered: 'entered-key',
  example: 'example-key',
  organization: 'organization',
} as const;
type Slot = keyof typeof slots;
const itemOf = (owner: Owner, slot: Slot): string => `${slots[slot]}:${owner}`;
let isMemoryClosed = false;

/** Returns the owner's value, or undefined if it is missing or does not match the schema. */
export function recall<S extends v.GenericSchema>(
  owner: Owner,
  schema: S,
  slot: Slot = 'work',
): v.InferOutput<S> | undefined {
  const read = v.safeParse(
    v.pipe(v.string(), v.parseJson(), schema),
    readStored('sessionStorage', itemOf(owner, slot)),
  );
  return read.success ? read.output : undefined;
}

/** Replaces the owner's value. Returns false if it cannot be stored, for example while the document is being left. */
export const remember = (owner: Owner, value: unknown, slot: Slot = 'work'): boolean =>
  !isMemoryClosed && store('sessionStorage', itemOf(owner, slot), JSON.stringify(value));

/** Names of the tab's items, of every owner or of one with its organizations. */
function itemNames(owner?: Owner): string[] {
  const starts = Object.values(slots).map((slot) => (owner === undefined ? `${slot}:` : `${slot}:${owner}`));
  return storedNames('sessionStorage').filter((name) =>
    starts.some((start) => name === start || name.startsWith(owner === undefined ? start : `${start}:`)),
  );
}

/** Deletes the values of other accounts. */
export function forgetOtherAccounts(id: number): void {
  const own = new Set(itemNames(id));
  for (const name of itemNames()) if (!own.has(name)) removeStored('sessionStorage', name);
}

/** Deletes all values. */
export function clearTabMemory(): void {
  for (const name of itemNames()) removeStored('sessionStorage', name);
}

/** Deletes all values, and stores no more in this document. */
export function closeTabMemory(): void {
  isMemoryClosed = true;
  clearTabMemory();
}

/** Path of an invitation that the account has not accepted yet, because its email is not confirmed. */
export const invitationItem = 'invitation';

/** Session storage item with the reason why a document replaced one of another organization. */
export const leaveReason = 'left-organization';

/** The organization that new tabs open. */
export const choiceName = 'organization';
const Choice = v.object({ id: v.string(), name: v.string() });
export type OrganizationChoice = v.InferOutput<typeof Choice>;

/** The organization that the account chose in this tab, or last in this browser. Null is the personal one. */
export function chosenOrganization(account: number): OrganizationChoice | null {
  const inTab = recall(account, v.nullable(Choice), 'organization');
  if (inTab !== undefined) return inTab;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Choice), kept(account, choiceName)[0]?.value);
  return read.success ? read.output : null;
}

/** True if some account has chosen an organization in this browser. */
export const isOrganizationChosen = (): boolean =>
  storedNames('localStorage').some((name) => name.startsWith(prefix) && name.endsWith(`:${choiceName}`)) ||
  storedNames('sessionStorage').some((name) => name.startsWith(`${slots.organization}:`));
