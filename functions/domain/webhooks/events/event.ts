import { createHash } from 'node:crypto';
import type { WebhookData, WebhookEventType } from '#contract/webhooks/events.ts';
import type { KeyEvent, LedgerEntry, Meter } from '../../meter/meter.ts';
import { encodeBytes } from '../../shared/credential.ts';

/** Something that happened to an account. `at` in epoch seconds; under a name of `once` nothing happens to the account twice. */
export type AccountEvent = {
  [Type in WebhookEventType]: {
    readonly type: Type;
    readonly at: number;
    readonly data: WebhookData<Type>;
    readonly once?: string;
  };
}[WebhookEventType];

/**
 * One write to a meter, as the table's stream has it: the meter before and after it, and what it was about. `id` is the
 * record's own; the record may come again.
 */
export interface MeterChange {
  readonly id: string;
  readonly before: Meter | undefined;
  readonly after: Meter;
  readonly entries: readonly LedgerEntry[];
  readonly keyEvent?: KeyEvent | undefined;
}

/** Of a digest, enough that two never meet. */
const idBytes = 16;
const idCharacters = 22;

/** The same for a record that comes again, so that no event has two. */
export function eventId(accountId: number, recordId: string, index: number): string {
  const digest = createHash('sha256').update(`${accountId} ${recordId} ${index}`).digest();
  return `evt_${encodeBytes(digest.subarray(0, idBytes), idCharacters)}`;
}
