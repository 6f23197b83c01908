import type { ErrorCode } from '#contract/shared/errors.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Refused } from './ports.ts';

/** The refusal (400) of a field. */
export function refused(path: string, detail: string): ServiceError {
  return new ServiceError('INVALID_FORMAT', detail, { field: { path, isMissing: false } });
}

/** About the recipient. */
const ofRecipient: Readonly<Partial<Record<Refused, string>>> = {
  number_blocked: 'to is a number that messages cannot be sent to; use another one. Nothing was charged.',
  country_blocked:
    'to is in a country that messages cannot be sent to; use a number in another country. Nothing was charged.',
  price: 'to is a number that costs more than the limit per message; use another one. Nothing was charged.',
};

const others = {
  opted_out: [
    'RECIPIENT_OPTED_OUT',
    'The recipient has opted out of messages, and gets none until they opt in again; nothing was charged.',
  ],
  throttled: [
    'SERVICE_UNAVAILABLE',
    'The carrier accepts no more messages at the moment; nothing was charged, try again.',
  ],
  carrier: ['DELIVERY_ERROR', 'The carrier did not accept the message; nothing was charged, try again later.'],
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
