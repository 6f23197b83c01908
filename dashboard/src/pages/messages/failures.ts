import type { Failure } from '#contract/messages/failures.ts';

/** Why a message ended so, and what to do. */
export const failureMeanings: Readonly<Record<Failure, string>> = {
  opted_out: 'The recipient has opted out; they get nothing until they opt in again.',
  number_invalid: 'The number takes no messages. Check it with the recipient.',
  number_blocked: 'Nothing is sent to this number. Use another one.',
  country_blocked: 'Nothing is sent to numbers of this country. Use another number.',
  price: 'Sending to this number costs more than the limit for a message. Use another number.',
  text_invalid: 'The carrier does not take this text. Change it, then send it again.',
  fraud_blocked: 'It was blocked by the protection against fraud. Use another number.',
  throttled: 'The carrier had too many messages at that moment. Send it again.',
  carrier: 'The carrier had a fault. Send it again later.',
  blocked: 'The recipient’s phone or carrier blocks your messages. Reach them in another way.',
  carrier_blocked: 'The recipient’s carrier blocked it. Reach them in another way.',
  spam: 'The recipient’s carrier took it for spam. Change the text, then send it again.',
  unreachable: 'The phone was off or out of reach. Send it again later.',
  expired: 'The phone was off or out of reach for too long. Send it again later.',
  busy: 'The line was busy. Call again later.',
  no_answer: 'Nobody took the call. Call again at another time.',
};

/** Where sending the same again cannot help, as it is refused again. */
const final: ReadonlySet<Failure> = new Set([
  'opted_out',
  'number_invalid',
  'number_blocked',
  'country_blocked',
  'price',
  'fraud_blocked',
  'blocked',
  'carrier_blocked',
]);

export const isFinal = (failure: Failure | null): boolean => failure !== null && final.has(failure);
