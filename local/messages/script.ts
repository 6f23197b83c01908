import type { PhoneMessage } from './phone-store.ts';

/** An error as AWS End User Messaging returns it. */
export interface CarrierError {
  readonly status: number;
  readonly type: string;
  readonly reason?: string;
  readonly message: string;
}

type Channel = PhoneMessage['channel'];

/** What happens to a message, chosen by the last two digits of its number (docs/guides/messages.md#test-numbers). */
export interface Scene {
  /** It is not taken. */
  readonly error?: CarrierError;
  /** It is taken, and the connection ends without a response. */
  readonly isReplyLost?: true;
  /** It does not reach the phone. */
  readonly isLost?: true;
  /** Types of the events that follow, in their order. */
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
