/** A piece of a text, in UTF-16 units from its beginning; `end` is behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const lengthOf = ({ start, end }: Span): number => end - start;

export const byPlace = (one: Span, other: Span): number => one.start - other.start || one.end - other.end;

/**
 * Spans without overlaps, in the order of the text: those that overlap become one, as long as all of them, and what the longest of
 * them was; of equal ones the first given.
 */
export function mergeOverlaps<S extends Span>(spans: readonly S[]): S[] {
  const merged: { longest: S; start: number; end: number }[] = [];
  for (const span of spans.toSorted(byPlace)) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) {
      merged.push({ longest: span, start: span.start, end: span.end });
      continue;
    }
    if (lengthOf(span) > lengthOf(last.longest)) last.longest = span;
    last.end = Math.max(last.end, span.end);
  }
  return merged.map(({ longest, start, end }) => ({ ...longest, start, end }));
}
