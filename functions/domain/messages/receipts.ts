import { microPerCredit } from '#contract/billing/prices.ts';
import type { MessageStatus } from '#contract/messages/messages.ts';
import type { Metering } from '../meter/metering.ts';
import { refund } from '../meter/refund.ts';
import type { Clock } from '../shared/ports.ts';
import { isForward, type Message, type MessageRef, moved } from './message.ts';
import type { MessageStore } from './ports.ts';

/** What a carrier reports of a message; it may come twice, late, in any order, or of a message that is not there. */
export interface Receipt extends MessageRef {
  readonly status: MessageStatus;
}

export interface ReceiptParts {
  readonly messages: Pick<MessageStore, 'find' | 'change' | 'refund'>;
  readonly metering: Pick<Metering, 'find' | 'change'>;
  readonly clock: Clock;
}

const maxTries = 8;

/** Notes receipts: a status goes forward only, and what ends failed is given back once, with the write that ends it. */
export function receiptService({ messages, metering, clock }: ReceiptParts) {
  /** False when it changed nothing. */
  async function record({ status, ...ref }: Receipt): Promise<boolean> {
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const message = await messages.find(ref, now);
      if (!message || !isForward(message.status, status)) return false;
      const after = moved(message, status, now);
      if (await (status === 'failed' && message.credits > 0 ? giveBack(message, after, now) : messages.change(after)))
        return true;
    }
    throw new Error('a message is being changed by others');
  }

  /** False when the message has changed. An account that is gone is given nothing. */
  async function giveBack(message: Message, after: Message, now: number): Promise<boolean> {
    const { accountId, channel, requestId, credits, createdAt } = message;
    const free = { ...after, credits: 0 };
    if (!(await metering.find(accountId))) return messages.change(free);
    let isDone = false;
    const seconds = Math.floor(now / 1000);
    const back = {
      service: channel,
      amount: credits * microPerCredit,
      requestId,
      chargedAt: Math.floor(createdAt / 1000),
    };
    await metering.change(
      accountId,
      now,
      (meter) => refund(meter, back, seconds),
      async (meterBefore, meterAfter, entries) => {
        const written = await messages.refund(free, { before: meterBefore, after: meterAfter, entries });
        isDone = written === 'done';
        return written !== 'meter changed';
      },
    );
    return isDone;
  }

  return { record };
}
