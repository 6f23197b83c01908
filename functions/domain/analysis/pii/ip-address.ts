import { isIPv4, isIPv6 } from 'node:net';
import type { Span } from '../span.ts';

/** No shorter than the shortest: "1.1.1.1", and "::1". */
const dotted = /[\d.]{7,}/g;
const hexadecimal = /[\da-f:.]{3,}/gi;

/** UTF-16 units of the longest that there is, and of the punctuation behind it. */
const maxLength = 45 + 2;

/** Addresses of IPv4 and IPv6. */
export function* ipAddresses(text: string): Generator<Span> {
  for (const { 0: run, index } of text.matchAll(dotted)) {
    const span = addressIn(run, index, /\.+$/, isIPv4);
    if (span) yield span;
  }
  if (!text.includes(':')) return;
  for (const { 0: run, index } of text.matchAll(hexadecimal)) {
    if (!run.includes(':') || isWithinWord(text, index, index + run.length)) continue;
    const span = addressIn(run, index, /(?:(?<!:):|\.)$/, isNumberedIPv6);
    if (span) yield span;
  }
}

function addressIn(run: string, at: number, trailing: RegExp, isAddress: (text: string) => boolean): Span | undefined {
  if (run.length > maxLength) return undefined;
  const rest = run.replace(/^\.+/, '');
  const address = rest.replace(trailing, '');
  const start = at + run.length - rest.length;
  return isAddress(address) ? { start, end: start + address.length } : undefined;
}

/** Without a digit it is rather a name of a programming language: "a::b". */
const isNumberedIPv6 = (address: string): boolean => /\d/.test(address) && isIPv6(address);

const isWithinWord = (text: string, start: number, end: number): boolean =>
  /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(start - 2, 0), start)) || /^[\p{L}\p{N}_]/u.test(text.slice(end, end + 2));
