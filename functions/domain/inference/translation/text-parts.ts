/** A part of a text: `text` without the white space around it, which stands `before` and `after`. */
export interface TextPart {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

type Grain = (text: string) => Iterable<string>;

/** The sentences of a text, each with the white space behind it. */
export const sentencesOf = segmentsOf('sentence');

/** Where a text may be cut, from the best place to the last resort: sentences, runs, words, letters with their marks, code points. */
const grains: readonly Grain[] = [
  sentencesOf,
  (text) => text.match(/\S+\s*|\s+/g) ?? [],
  segmentsOf('word'),
  lettersOf,
  (text) => text,
];

/**
 * Cuts a text into parts of at most `maxBytes` UTF-8 bytes (at least 4), as few as fit, at sentence ends where it can.
 * The parts joined are the text.
 */
export function cutText(text: string, maxBytes: number): TextPart[] {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const piece of piecesOf(text, maxBytes, grains)) {
    const size = Buffer.byteLength(piece);
    if (bytes + size > maxBytes) {
      parts.push(part);
      part = '';
      bytes = 0;
    }
    part += piece;
    bytes += size;
  }
  return [...parts, part].map(withoutMargins);
}

/** The largest pieces that each fit. */
function* piecesOf(text: string, maxBytes: number, [grain, ...finer]: readonly Grain[]): Generator<string> {
  if (!grain || Buffer.byteLength(text) <= maxBytes) {
    yield text;
    return;
  }
  for (const piece of grain(text)) yield* piecesOf(piece, maxBytes, finer);
}

function segmentsOf(granularity: 'sentence' | 'word'): Grain {
  return function* segments(text) {
    for (const { segment } of new Intl.Segmenter('und', { granularity }).segment(text)) yield segment;
  };
}

/** No mark is before it, so most of a long run needs no further look. */
const firstMark = '\u0300';
const joins = /[\p{M}\u200c\u200d]/u;

/** A code point with the marks and joiners after it; only words that are longer than a part come here. */
function* lettersOf(text: string): Generator<string> {
  let letter = '';
  for (const point of text) {
    if (letter !== '' && (point < firstMark || !joins.test(point))) {
      yield letter;
      letter = '';
    }
    letter += point;
  }
  if (letter !== '') yield letter;
}

function withoutMargins(part: string): TextPart {
  const rest = part.trimStart();
  const text = rest.trimEnd();
  return { before: part.slice(0, part.length - rest.length), text, after: rest.slice(text.length) };
}
