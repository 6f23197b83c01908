import * as v from 'valibot';
import { readStored, removeStored, store } from '../../lib/storage.ts';

/**
 * What this tab keeps of the account's work over navigation and reload. It ends with the session: whatever ends
 * that in this tab removes it (`account.ts`), and another account's is never read.
 */
const names = {
  work: 'tab-memory',
  agents: 'unsaved-agents',
  message: 'unsent-message',
  speech: 'unspoken-text',
  entered: 'entered-key',
  example: 'example-key',
} as const;
/**
 * What is kept: work in progress, changes of agents, a message that was not sent, a text to speak, and API keys that were
 * entered to try operations, or to fill examples.
 */
type Slot = keyof typeof names;
const slots = Object.values(names);
const Memory = v.pipe(v.string(), v.parseJson(), v.object({ account: v.number(), value: v.unknown() }));
let isClosed = false;

/** What the account kept here; undefined where there is nothing, or nothing of this schema. Account 0 is nobody's. */
export function recall<S extends v.GenericSchema>(
  account: number,
  schema: S,
  slot: Slot = 'work',
): v.InferOutput<S> | undefined {
  const memory = v.safeParse(Memory, readStored('sessionStorage', names[slot]));
  if (!memory.success || memory.output.account !== account) return undefined;
  const read = v.safeParse(schema, memory.output.value);
  return read.success ? read.output : undefined;
}

/** Keeps a value in place of the last one; nothing in a document that is being left. */
export function remember(account: number, value: unknown, slot: Slot = 'work'): void {
  if (!isClosed) store('sessionStorage', names[slot], JSON.stringify({ account, value }));
}

/** Removes what another account left in this tab. */
export function forgetOtherAccounts(account: number): void {
  for (const name of slots) {
    const memory = v.safeParse(Memory, readStored('sessionStorage', name));
    if (memory.success && memory.output.account !== account) removeStored('sessionStorage', name);
  }
}

/** Removes what is kept. */
export function clearTabMemory(): void {
  for (const name of slots) removeStored('sessionStorage', name);
}

/** Removes what is kept, and keeps nothing more in this document. */
export function closeTabMemory(): void {
  isClosed = true;
  clearTabMemory();
}
