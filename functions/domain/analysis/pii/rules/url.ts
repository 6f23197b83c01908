import type { Span } from '../../quotes/span.ts';

const character = String.raw`[^\s<>"'\x60{}|\\^[\]«»“”‘’、。，]`;

/** Brackets stand around an IPv6 address, and in pairs in a query. */
const candidate = new RegExp(
  String.raw`(?<prefix>(?:https?|ftps?|wss?):\/\/|(?<![a-z\d])www\.)(?:${character}|\[${character}{0,99}\]|\{${character}{0,99}\})*`,
  'giu',
);

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
