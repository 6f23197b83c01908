import type { Failure } from '#contract/messages/failures.ts';

/** Why a message ended so, and what to do. */
export const failureMeanings: Readonly<Record<Failure, string>> = {
  opted_out: 'The recipient has opted out and must opt in again first.',
  number_invalid: 'The number cannot receive messages. Check it with the recipient.',
  number_blocked: 'Messages to this number are blocked. Use another one.',
  country_blocked: 'Messages to this country are blocked. Use another number.',
  price: 'Sending to this number costs more than the price limit per message. Use another number.',
  text_invalid: 'The carrier does not accept this text. Change it, then send it again.',
  fraud_blocked: 'Blocked by fraud protection. Use another number.',
  throttled: 'The carrier was receiving too many messages. Send it again.',
  carrier: 'The carrier had a problem. Send it again later.',
  blocked: 'The recipient’s phone or carrier blocks your messages. Contact them another way.',
  carrier_blocked: 'The recipient’s carrier blocked it. Contact them another way.',
  spam: 'The recipient’s carrier marked it as spam. Change the text, then send it again.',
  unreachable: 'The phone was off or unreachable. Send it again later.',
  expired: 'The phone was off or unreachable for too long. Send it again later.',
  busy: 'The line was busy. Call again later.',
  no_answer: 'No one picked up. Call again later.',
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
