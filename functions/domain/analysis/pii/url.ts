import type { Span } from '../span.ts';

/** Brackets stand in a URL around an IPv6 address only. */
const candidate =
  /(?<prefix>\b(?:https?|ftps?|wss?):\/\/|\bwww\.)(?:\[[\da-f:.]{2,45}\])?[^\s<>"'`{}|\\^[\]«»“”‘’、。，]*/giu;

/** Of the sentence around a URL, unless the URL has brackets itself: "…/River_(film)". */
const punctuation = { always: '.,;:!?', withoutBrackets: '.,;:!?)*_~-' } as const;

/** URLs with a scheme, and those that begin with "www.". */
export function* urls(text: string): Generator<Span> {
  for (const { 0: found, index, groups } of text.matchAll(candidate)) {
    const ends = found.includes('(') ? punctuation.always : punctuation.withoutBrackets;
    let length = found.length;
    while (length > 0 && ends.includes(found[length - 1] ?? '')) length -= 1;
    const rest = found.slice(groups?.['prefix']?.length ?? 0, length);
    if (/[\p{L}\p{N}\]]/u.test(rest)) yield { start: index, end: index + length };
  }
}
