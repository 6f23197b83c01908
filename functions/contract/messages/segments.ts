import type { Encoding } from './messages.ts';

/** How an SMS is cut. */
export interface Segments {
  readonly segments: number;
  readonly encoding: Encoding;
}

/** How an SMS is cut, with the units that each of its segments holds. */
export interface CutText {
  readonly encoding: Encoding;
  readonly fills: readonly number[];
}

/** Units of a message of one segment, and of each of several, which have a header of six bytes (GSM 03.40): septets, or those of UTF-16. */
export const segmentUnits = {
  'GSM-7': { single: 160, partial: 153 },
  'UCS-2': { single: 70, partial: 67 },
} as const;

const graphemes = new Intl.Segmenter();

/** What is never parted in UCS-2. */
export const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/**
 * Cuts a text before a character, or a grapheme of UCS-2, that has no room in a segment. `septetsOf` knows the alphabet of GSM-7: the septets of a
 * character, undefined of one that it has not.
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

/** Segments that hold pieces of these sizes, none of which is parted unless it is larger than a segment, as a letter with many marks may be. */
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
