import type { Encoding } from './messages.ts';

export interface Segments {
  readonly segments: number;
  readonly encoding: Encoding;
}

/** Segmentation of an SMS, with the units in each segment. */
export interface CutText {
  readonly encoding: Encoding;
  readonly fills: readonly number[];
}

/**
 * Units (septets, or UTF-16 code units) of a single segment, and of each of several, whose header uses six bytes (GSM
 * 03.40).
 */
export const segmentUnits = {
  'GSM-7': { single: 160, partial: 153 },
  'UCS-2': { single: 70, partial: 67 },
} as const;

const graphemes = new Intl.Segmenter();

/** Characters that UCS-2 segments never split. */
export const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/**
 * Starts a new segment at a character (UCS-2: a grapheme) that does not fit. `septetsOf` returns the GSM-7 septets of a
 * character, or undefined if the alphabet does not contain it.
 */
export function cutText(text: string, septetsOf: (character: string) => number | undefined): CutText {
  const septets: number[] = [];
  for (const character of text) {
    const size = septetsOf(character);
    if (size === undefined) {
      const sizes = graphemesOf(text).map(({ length }) => length);
      return { encoding: 'UCS-2', fills: packed(sizes, 'UCS-2') };
    }
    septets.push(size);
  }
  return { encoding: 'GSM-7', fills: packed(septets, 'GSM-7') };
}

/**
 * Fills segments with pieces of these sizes. Splits a piece only if it is larger than a segment, such as a letter with
 * many combining marks.
 */
function packed(sizes: readonly number[], encoding: Encoding): number[] {
  const { single, partial } = segmentUnits[encoding];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= single) return [total];
  const fills: number[] = [];
  let fill = 0;
  for (const size of sizes) {
    if (fill + size > partial && size <= partial) {
      fills.push(fill);
      fill = 0;
    }
    for (fill += size; fill > partial; fill -= partial) fills.push(partial);
  }
  return [...fills, fill];
}
