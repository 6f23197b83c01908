import type { ErrorCode } from '#contract/shared/errors.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Refused } from './ports.ts';

/** The refusal (400) of a field. */
export function refused(path: string, detail: string): ServiceError {
  return new ServiceError('INVALID_FORMAT', detail, { field: { path, isMissing: false } });
}

/** About the recipient. */
const ofRecipient: Readonly<Partial<Record<Refused, string>>> = {
  number_blocked: 'to is a number that cannot receive messages. Nothing was charged. Use another number.',
  country_blocked:
    'to is in a country that cannot receive messages. Nothing was charged. Use a number in another country.',
  price: 'to is a number that costs more than the limit per message. Nothing was charged. Use another number.',
};

const others = {
  opted_out: [
    'RECIPIENT_OPTED_OUT',
    'The recipient has opted out of messages and must opt in again first. Nothing was charged.',
  ],
  throttled: [
    'SERVICE_UNAVAILABLE',
    'The carrier is not accepting more messages right now. Nothing was charged. Try again.',
  ],
  carrier: ['DELIVERY_ERROR', 'The carrier did not accept the message. Nothing was charged. Try again later.'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>;

const retryAfterSeconds = 5;

/** What the caller is refused with where the carrier did not take a message; the cause is for the log. */
export function refusalOf(why: Refused, cause: unknown): ServiceError {
  const detail = ofRecipient[why];
  if (detail !== undefined) return refused('to', detail);
  const kind = why === 'opted_out' || why === 'throttled' ? why : 'carrier';
  const [code, sentence] = others[kind];
  return new ServiceError(code, sentence, { cause, ...(kind === 'throttled' && { retryAfterSeconds }) });
}
