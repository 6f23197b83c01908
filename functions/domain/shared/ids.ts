import { drawnText, encodeNumber } from './base62.ts';
import type { Random } from './ports.ts';

/** A request's, hold's and ledger row's id: 113 random bits, made by us and never taken from the caller. */
export function newRequestId(random: Random): string {
  return drawnText(random.bytes(19));
}

/** A random integer from 1 to 2^53 - 1: exact in JavaScript and not guessable (docs/design/accounts.md#ids). */
export function newAccountId(random: Random): number {
  const id = Number(BigInt(`0x${Buffer.from(random.bytes(7)).toString('hex')}`) & 0x1f_ffff_ffff_ffffn);
  return Math.max(1, id);
}

/** Milliseconds in 8 characters, so that ids are in the order in which they were made; then 71 random bits. */
const timeCharacters = 8;
const randomCharacters = 12;

/** An id of what is listed newest first. `now` in epoch milliseconds. */
export const timedId = (prefix: 'agt' | 'doc' | 'cnv' | 'msg' | 'upl' | 'trn', now: number, random: Random): string =>
  `${prefix}_${encodeNumber(now, timeCharacters)}${drawnText(random.bytes(randomCharacters))}`;
