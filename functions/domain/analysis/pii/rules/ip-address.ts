import { isIPv4, isIPv6 } from 'node:net';
import type { Span } from '../../quotes/span.ts';

const dotted = /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g;
/** No shorter than the shortest: "::1". */
const hexadecimal = /[\da-f:.]{3,}/gi;

/** UTF-16 units of the longest that there is. */
const maxLength = 45;

/** Addresses of IPv4 and IPv6. */
export function* ipAddresses(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(dotted)) {
    if (isIPv4(found)) yield { start: index, end: index + found.length };
  }
  if (!text.includes(':')) return;
  for (const { 0: run, index } of text.matchAll(hexadecimal)) {
    const span = addressIn(run, index);
    if (span && !isWithinWord(text, span.start, span.end)) yield span;
  }
}

/** The longest address between the colons and dots around it, two of which may be its own. */
function addressIn(run: string, at: number): Span | undefined {
  const [first, last] = [run.search(/[^:.]/), run.replace(/(?<![:.])[:.]+$/, '').length];
  if (first === -1 || last - first > maxLength || !run.includes(':')) return undefined;
  for (const start of run.startsWith('::', first - 2) && first > 1 ? [first - 2, first] : [first]) {
    for (const end of run.startsWith('::', last) ? [last + 2, last] : [last]) {
      if (isAddress(run.slice(start, end))) return { start: at + start, end: at + end };
    }
  }
  return undefined;
}

/** Without a digit and with two short parts it is rather a name of a programming language: "a::b". */
const isAddress = (text: string): boolean => isIPv6(text) && /\d|:[a-f]+:|[a-f]{4}/i.test(text);

const isWithinWord = (text: string, start: number, end: number): boolean =>
  /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(start - 2, 0), start)) || /^[\p{L}\p{N}_]/u.test(text.slice(end, end + 2));
