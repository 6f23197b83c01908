import * as v from 'valibot';
import { readJsonFile, writeJsonFile } from '../shared/files/json-file.ts';

/** What reached a phone. `at` is ISO 8601. */
export const PhoneMessage = v.object({
  id: v.string(),
  channel: v.picklist(['sms', 'voice_call']),
  to: v.string(),
  text: v.string(),
  at: v.string(),
  /** Of a call, one of the contract's. */
  voice: v.optional(v.string()),
});
export type PhoneMessage = v.InferOutput<typeof PhoneMessage>;

export interface PhoneStore {
  /** Resolves once the message is in its file. */
  add(message: PhoneMessage): Promise<void>;
  /** Newest first. */
  list(): PhoneMessage[];
}

const maxKept = 500;

/** Keeps the newest messages in a file, for its owner only. */
export async function openPhoneStore(file: string): Promise<PhoneStore> {
  const messages = (await readJsonFile(file, v.array(PhoneMessage))) ?? [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(message) {
      messages.push(message);
      messages.splice(0, messages.length - maxKept);
      const written = last.then(() => writeJsonFile(file, messages));
      last = written.catch(() => undefined);
      return written;
    },
    list: () => messages.toReversed(),
  };
}
