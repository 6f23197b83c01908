import { drawnText, encodeNumber } from './base62.ts';
import type { Random } from './ports.ts';

/** Milliseconds in 8 characters, so that ids are in the order in which they were made; then 71 random bits. */
const timeCharacters = 8;
const randomCharacters = 12;

/** An id of what is listed newest first. `now` in epoch milliseconds. */
export const timedId = (prefix: 'agt' | 'doc' | 'cnv' | 'msg' | 'upl' | 'trn', now: number, random: Random): string =>
  `${prefix}_${encodeNumber(now, timeCharacters)}${drawnText(random.bytes(randomCharacters))}`;
