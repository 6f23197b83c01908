import type { Failure } from '#contract/messages/failures.ts';
import type { MessageStatus } from '#contract/messages/messages.ts';
import type { Metering } from '../meter/metering.ts';
import type { KeptCharge } from '../meter/refund.ts';
import { refunds } from '../meter/refunds.ts';
import type { Clock } from '../shared/ports.ts';
import { isForward, type Message, type MessageRef, moved } from './message.ts';
import type { MessageStore } from './ports.ts';

/** What a carrier reports of a message; it may come twice, late, in any order, or of a message that is not there, or is another's. */
export type Receipt = { readonly status: MessageStatus; readonly failure?: Failure } & (
  | MessageRef
  | { readonly carrierId: string }
);

export interface ReceiptParts {
  readonly messages: Pick<MessageStore, 'find' | 'findByCarrier' | 'change' | 'refund'>;
  readonly metering: Pick<Metering, 'change'>;
  readonly clock: Clock;
  /** Lets so many milliseconds pass. */
  readonly pause: (ms: number) => Promise<void>;
}

const maxTries = 8;

/** A receipt may be faster than the note of what its carrier calls the message. Not long: others' messages have none, and come in hundreds. */
const noteMs = 300;

/** Notes receipts: a status goes forward only, and what ends failed is given back once, with the write that ends it. */
export function receiptService({ messages, metering, clock, pause }: ReceiptParts) {
  const giveBack = refunds(metering, clock);

  /** False when it changed nothing. */
  async function record(receipt: Receipt): Promise<boolean> {
    const { status, failure } = receipt;
    // The request that sent it notes that, with its charge.
    if (status === 'sent') return false;
    const ref = 'carrierId' in receipt ? await namedBy(receipt.carrierId) : receipt;
    if (!ref) return false;
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const message = await messages.find(ref, now);
      if (!message || !isForward(message.status, status)) return false;
      const after = moved(message, status, now, failure);
      const { charge } = message;
      if (await (status === 'failed' && charge ? free(after, charge) : messages.change(after))) return true;
    }
    throw new Error('a message is being changed by others');
  }

  async function namedBy(carrierId: string): Promise<MessageRef | undefined> {
    const ref = await messages.findByCarrier(carrierId, clock.now());
    if (ref) return ref;
    await pause(noteMs);
    return messages.findByCarrier(carrierId, clock.now());
  }

  /** False when the message has changed. */
  async function free(after: Message, charge: KeptCharge): Promise<boolean> {
    const over = { ...after, credits: 0 };
    const { amount } = charge;
    const given = await giveBack(after.accountId, charge, { amount }, (write) => messages.refund(over, write));
    return given === 'no account' ? messages.change(over) : given === 'done';
  }

  return { record };
}
