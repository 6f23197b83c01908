import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { messageReceipts } from '#contract/jobs.ts';
import type { Pending } from '../shared/data-folder.ts';
import type { Faults } from '../shared/faults.ts';
import { listen, listener, type Loopback, readBody, sendAwsJson } from '../shared/loopback.ts';
import { PhoneMessage, type PhoneStore } from './phones.ts';

export interface CarrierOptions {
  readonly phones: PhoneStore;
  readonly faults: Faults;
  readonly receipts: Pick<ReturnType<typeof receiptPlayer>, 'play'>;
  /** Epoch ms of the shifted clock. */
  readonly now: () => number;
}

const maxBodyBytes = 64 * 1024;

/** Common parameters, with the limits of the API reference. */
const common = {
  DestinationPhoneNumber: v.pipe(v.string(), v.regex(/^\+?[1-9]\d{1,18}$/)),
  ConfigurationSetName: v.optional(v.pipe(v.string(), v.maxLength(256))),
  ProtectConfigurationId: v.optional(v.pipe(v.string(), v.maxLength(256))),
  Context: v.optional(v.record(v.pipe(v.string(), v.maxLength(100)), v.pipe(v.string(), v.maxLength(800))), {}),
};
const price = v.optional(v.pipe(v.string(), v.regex(/^[0-9]{0,2}\.[0-9]{1,5}$/)));
const TextMessage = v.object({
  ...common,
  OriginationIdentity: v.optional(v.string()),
  MessageBody: v.pipe(v.string(), v.minLength(1), v.maxLength(1600)),
  MaxPrice: price,
  TimeToLive: v.optional(v.pipe(v.number(), v.minValue(5), v.maxValue(259_200))),
});
const VoiceMessage = v.object({
  ...common,
  OriginationIdentity: v.pipe(v.string(), v.minLength(1)),
  MessageBody: v.pipe(v.string(), v.minLength(1), v.maxLength(6000)),
  VoiceId: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]+$/))),
  MaxPricePerMinute: price,
  TimeToLive: v.optional(v.pipe(v.number(), v.minValue(5), v.maxValue(259_200))),
});

const operations = {
  'PinpointSMSVoiceV2.SendTextMessage': { channel: 'sms', schema: TextMessage },
  'PinpointSMSVoiceV2.SendVoiceMessage': { channel: 'voice_call', schema: VoiceMessage },
} as const;
const isOperation = (name: string): name is keyof typeof operations => Object.hasOwn(operations, name);

const faultErrors = {
  throttle: { status: 400, type: 'ThrottlingException', message: 'Rate exceeded.' },
  unavailable: { status: 503, type: 'ServiceUnavailable', message: 'The service is temporarily unavailable.' },
} as const satisfies Record<string, CarrierError>;

/** Accepts messages in the JSON protocol of AWS End User Messaging (AWS JSON 1.0) and simulates their delivery. */
export function startCarrier({ phones, faults, receipts, now }: CarrierOptions): Promise<Loopback> {
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = String(request.headers['x-amz-target'] ?? '');
    const body: unknown = JSON.parse((await readBody(request, maxBodyBytes)).toString());
    if (!isOperation(name))
      return sendError(response, {
        status: 400,
        type: 'UnknownOperationException',
        message: 'There is no such operation.',
      });
    const { channel, schema } = operations[name];
    const { success, output, issues } = v.safeParse(schema, body);
    if (!success) {
      const message = `${v.getDotPath(issues[0]) ?? 'The request'}: ${issues[0].message}`;
      return sendError(response, {
        status: 400,
        type: 'ValidationException',
        reason: 'FIELD_VALIDATION_FAILED',
        message,
      });
    }
    const fault = faults.take('messages');
    if (fault === 'throttle' || fault === 'unavailable') return sendError(response, faultErrors[fault]);
    const { DestinationPhoneNumber: to, MessageBody: text } = output;
    const scene = sceneOf(to);
    if (scene.error) return sendError(response, scene.error);
    const id = randomUUID();
    const voice = 'VoiceId' in output ? output.VoiceId?.toLowerCase() : undefined;
    const at = new Date(now()).toISOString();
    if (!scene.isLost) await phones.add({ id, channel, to, text, at, ...(voice !== undefined && { voice }) });
    await receipts.play({
      channel,
      eventTypes: [...scene.events[channel]],
      messageId: id,
      messageRequestTimestamp: now(),
    });
    if (scene.isReplyLost || fault === 'lost-reply') return void response.destroy();
    sendAwsJson(response, 200, { MessageId: id });
  }

  return listen(listener(take));
}

function sendError(response: ServerResponse, { status, type, reason, message }: CarrierError): void {
  sendAwsJson(response, status, { __type: type, Message: message, ...(reason !== undefined && { Reason: reason }) });
}

export interface CarrierError {
  readonly status: number;
  readonly type: string;
  readonly reason?: string;
  readonly message: string;
}

type Channel = PhoneMessage['channel'];

/**
 * The simulated outcome of a message, selected by the last two digits of its number
 * (docs/guides/messages.md#test-numbers).
 */
export interface Scene {
  readonly error?: CarrierError;
  /** The message is accepted, but the connection closes without a response. */
  readonly isReplyLost?: true;
  readonly isLost?: true;
  readonly events: Readonly<Record<Channel, readonly string[]>>;
}

const none = { sms: [], voice_call: [] } as const;
const delivered = {
  sms: ['TEXT_SUCCESSFUL', 'TEXT_DELIVERED'],
  voice_call: ['VOICE_INITIATED', 'VOICE_RINGING', 'VOICE_ANSWERED', 'VOICE_COMPLETED'],
} as const;

const scenes: Readonly<Record<string, Scene>> = {
  '02': {
    isLost: true,
    events: { sms: ['TEXT_SUCCESSFUL', 'TEXT_UNREACHABLE'], voice_call: ['VOICE_INITIATED', 'VOICE_NO_ANSWER'] },
  },
  '03': {
    error: {
      status: 400,
      type: 'ConflictException',
      reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT',
      message: 'Destination phone number is opted out',
    },
    events: none,
  },
  '04': { isReplyLost: true, events: none },
  '05': {
    error: { status: 500, type: 'InternalServerException', message: 'The API encountered an unexpected error.' },
    events: none,
  },
  '06': {
    error: {
      status: 400,
      type: 'ValidationException',
      reason: 'PRICE_OVER_THRESHOLD',
      message: 'The price is over the threshold',
    },
    events: none,
  },
  '07': {
    events: {
      sms: ['TEXT_DELIVERED', 'TEXT_DELIVERED', 'TEXT_SUCCESSFUL'],
      voice_call: ['VOICE_COMPLETED', 'VOICE_COMPLETED', 'VOICE_RINGING'],
    },
  },
  '08': { isLost: true, events: { sms: ['TEXT_SUCCESSFUL', 'TEXT_INVALID'], voice_call: ['VOICE_FAILED'] } },
};

export function sceneOf(to: string): Scene {
  const digits = to.slice(-2);
  return (Object.hasOwn(scenes, digits) ? scenes[digits] : undefined) ?? { events: delivered };
}

export const Receipts = v.object({
  channel: PhoneMessage.entries.channel,
  eventTypes: v.array(v.string()),
  messageId: v.string(),
  /** Epoch ms. */
  messageRequestTimestamp: v.number(),
});
export type Receipts = v.InferOutput<typeof Receipts>;

export interface ReceiptOptions {
  readonly pending: Pending<Receipts>;
  /** Milliseconds before each event of a message. */
  readonly receiptDelayMs: number;
  /** Epoch ms of the shifted clock. */
  readonly now: () => number;
  /** Resolves when the event is handled or discarded. */
  readonly publish: (event: unknown) => Promise<void>;
}

/**
 * Publishes the delivery events of messages. After a crash, the next process publishes all events of a pending message
 * again, so some arrive twice.
 */
export function receiptPlayer({ pending, receiptDelayMs, now, publish }: ReceiptOptions) {
  const ending = new AbortController();

  async function play(receipts: Receipts): Promise<void> {
    if (receipts.eventTypes.length > 0) run(await pending.add(receipts), receipts);
  }

  function run(name: string, receipts: Receipts): void {
    const played = publishAll(receipts).then(() => (ending.signal.aborted ? undefined : pending.remove(name)));
    // Unfinished receipts are kept for the next process.
    played.catch(() => undefined);
  }

  async function publishAll({ channel, eventTypes, ...about }: Receipts): Promise<void> {
    const handled: Promise<void>[] = [];
    for (const eventType of eventTypes) {
      await sleep(receiptDelayMs, undefined, { signal: ending.signal, ref: false });
      handled.push(publish(eventOf(channel, eventType, about, now())));
    }
    await Promise.all(handled);
  }

  return {
    play,
    async resume(): Promise<void> {
      for (const { name, work } of await pending.left()) run(name, work);
    },
    close: () => ending.abort(),
  };
}

const passing = new Set(['TEXT_SUCCESSFUL', 'VOICE_INITIATED', 'VOICE_RINGING', 'VOICE_ANSWERED']);

/**
 * Follows the EventBridge examples, which contain neither number nor context (AWS "Monitoring with EventBridge" of End
 * User Messaging).
 */
function eventOf(channel: Receipts['channel'], eventType: string, about: object, at: number): object {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': messageReceipts.detailTypes[channel],
    source: messageReceipts.source,
    account: '000000000000',
    time: new Date(at).toISOString(),
    region: 'us-east-1',
    resources: [],
    detail: { eventType, eventVersion: '1.0', eventTimestamp: at, isFinal: !passing.has(eventType), ...about },
  };
}
