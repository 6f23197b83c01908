import * as v from 'valibot';

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
/** One check where a number and a safe integer would be three; a meter's item has some twenty. */
export const count = v.custom<number>(isCount, 'must be a count');
