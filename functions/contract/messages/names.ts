export const channels = ['sms', 'voice_call'] as const;
export type Channel = (typeof channels)[number];

/** Reasons for `undelivered` or `failed` that the carrier distinguishes (docs/messages.md#refusals, #receipts). */
export const failures = [
  'opted_out',
  'number_invalid',
  'number_blocked',
  'country_blocked',
  'price',
  'text_invalid',
  'fraud_blocked',
  'throttled',
  'carrier',
  'blocked',
  'carrier_blocked',
  'spam',
  'unreachable',
  'expired',
  'busy',
  'no_answer',
] as const;
export type Failure = (typeof failures)[number];
