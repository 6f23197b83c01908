import * as v from 'valibot';

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
/** A single check instead of three, because a meter's item has about 20 counts. */
export const count = v.custom<number>(isCount, 'must be a count');
