import { planOfRank } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { type MessageOrder, type SendingLimits, messageSending } from '#domain/messages/message-service.ts';
import type { SendToCarrier, MessageStore, OutgoingMessage } from '#domain/messages/message.ts';
import { receiptService } from '#domain/messages/receipts.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { claimOf } from '#domain/shared/idempotency.ts';
import { messageStore } from '#repositories/messages/messages.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import type { startTestDatabase } from '../database/database.ts';
import { credits, meterWith, putMeter, start } from '../meter/meters.ts';

type Database = Pick<Awaited<ReturnType<typeof startTestDatabase>>, 'client'>;

const random = { bytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)) };
const wide = { perNumber: 1000, perAccount: 1000, perRange: 1000 };

let numbers = 0;

interface DeskRequest {
  readonly limits?: SendingLimits;
  readonly spendable?: number;
  /** Overrides of the meter. */
  readonly about?: Partial<Meter>;
  /** Runs while a receipt waits for its message to be recorded. */
  readonly pause?: () => Promise<void>;
}

/** A sender with a scripted carrier and its own clock. */
export async function openDesk(
  { client }: Database,
  { limits = wide, spendable = credits(100), about = {}, pause = () => Promise.resolve() }: DeskRequest = {},
) {
  const account = await putMeter(client, meterWith(spendable, about));
  const { accountId } = account;
  const clock = { now: () => clock.at, at: start };
  const meters = metering(meterStore(client, tables.meters.name, random), renewals(planOfRank));
  const store = messageStore(client, { messages: tables.messages.name, meters: () => tables.meters.name });
  const handed: OutgoingMessage[] = [];
  const to = `+1415${200 + (numbers += 1)}0100`;

  /** Like the middleware: admits, sends, settles. A function crashes by throwing `dead`. */
  async function send(
    carrier: SendToCarrier,
    {
      key,
      messages = store,
      about = {},
      isSettled = true,
    }: { key?: string; messages?: MessageStore; about?: Partial<MessageOrder>; isSettled?: boolean } = {},
  ) {
    const requestId = crypto.randomUUID();
    const amount = credits(2);
    const deadline = Math.ceil(clock.at / 1000) + 88;
    const service = 'sms' as const;
    const openHold = await meters.admit({
      accountId,
      keyId: 'key-1',
      requestId,
      service,
      model: '',
      minPlanRank: 2,
      amount,
      now: clock.at,
      deadline,
    });
    const order: MessageOrder = {
      model: '',
      service,
      amount,
      channel: 'sms',
      to,
      text: 'Hello',
      country: 'US',
      segments: 1,
      encoding: 'GSM-7',
      voice: null,
      reference: null,
      ...about,
    };
    const counting: SendToCarrier = (message) => {
      handed.push(message);
      return carrier(message);
    };
    const claim =
      key === undefined
        ? undefined
        : claimOf({ accountId, routeId: 'send-message', key, requestId, input: { to: order.to, text: order.text } });
    const sending = messageSending({
      messages,
      sendToCarrier: counting,
      limits,
      onProblem: () => undefined,
      clock,
      random,
    });
    try {
      const { body, cost } = await sending.send(order, { accountId, claim, openHold });
      if (isSettled) await openHold.settle(cost, clock.at);
      return body;
    } catch (error) {
      if (error !== dead) await openHold.settle(0, clock.at);
      throw error;
    }
  }

  const meter = () => meters.current(accountId, clock.at);
  return {
    accountId,
    to,
    clock,
    store,
    handed,
    send,
    receipts: receiptService({ messages: store, metering: meters, clock, pause }),
    messages: async () => (await store.page(accountId, { limit: 50 }, clock.at, () => true)).items,
    /** Spendable credits after the holds of crashed calls have expired. */
    spendable: async () => (await meter()).spendable / credits(1),
    meter,
  };
}

/** Thrown to simulate the crash of a function. */
export const dead = new Error('the function died');
export const taken: SendToCarrier = () => Promise.resolve({ is: 'accepted' });
export const takenAs =
  (carrierId: string): SendToCarrier =>
  () =>
    Promise.resolve({ is: 'accepted', carrierId });
export const lost: SendToCarrier = () => Promise.resolve({ is: 'unknown' });
