import * as v from 'valibot';

const Count = v.pipe(v.number(), v.integer(), v.minValue(1, 'must be 1 or more'));

/** Messages to phones (docs/messages.md). */
export const MessageSettings = v.strictObject({
  /** ISO 3166-1 codes of the countries that messages go to; none: no message is sent. */
  countries: v.array(v.pipe(v.string(), v.regex(/^[A-Z]{2}$/, 'must be a country such as US'))),
  /** US dollars that a segment, or a minute of a call, may cost at most. */
  maxPriceUsd: v.pipe(v.number(), v.minValue(0.001, 'must be 0.001 or more'), v.maxValue(10, 'must be 10 or less')),
  /** Number, pool or sender id of the account that messages come from; null: AWS chooses one for an SMS, and there are no calls. */
  origination: v.nullable(v.pipe(v.string(), v.regex(/^[\w+:/-]{1,256}$/, 'must be a number, a pool or a sender'))),
  /** Most messages to one number in an hour, of one account in a day, and to a range of 10,000 numbers in an hour. */
  perNumberPerHour: Count,
  perAccountPerDay: Count,
  perRangePerHour: Count,
});
