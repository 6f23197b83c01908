import { SegmentedMessage } from 'sms-segments-calculator';
import { cutText, graphemesOf, type Segments, segmentUnits } from '#contract/messages/segments.ts';
import { limits } from '#contract/shared/limits.ts';

/** Segmentation of an SMS, with the reasons for it. */
export interface CountedText extends Segments {
  /** GSM-7 septets (some characters need two) or UCS-2 code units. */
  readonly units: number;
  /** Maximum units in the segments that the text needs, within the allowed number of segments. */
  readonly capacity: number;
  /** Used share of each segment, from 0 to 1. */
  readonly fills: readonly number[];
  /** Characters that require UCS-2, each once. */
  readonly foreign: readonly string[];
  /** The text with plain punctuation, if that makes it GSM-7. */
  readonly plain: { readonly text: string; readonly segments: number } | undefined;
}

interface Character {
  /** Undefined if GSM-7 does not contain it. */
  readonly septets: number | undefined;
  /** Replacement in GSM-7, or undefined. */
  readonly plain: string | undefined;
}

const known = new Map<string, Character>();

/** Uses the same library as the service. */
function look(character: string): Character {
  const seen = known.get(character);
  if (seen) return seen;
  const message = new SegmentedMessage(character);
  const smart = new SegmentedMessage(character, 'auto', true);
  const found = {
    septets: message.encodingName === 'GSM-7' ? message.numberOfCharacters : undefined,
    plain: smart.encodingName === 'GSM-7' ? smart.graphemes.join('') : undefined,
  };
  known.set(character, found);
  return found;
}

const septetsOf = (character: string): number | undefined => look(character).septets;

/** Counts like the service, with the same rule and alphabet. Loaded when a text is typed. */
export function countText(text: string): CountedText {
  const { encoding, fills } = cutText(text, septetsOf);
  const { single, partial } = segmentUnits[encoding];
  const segments = fills.length;
  const size = segments === 1 ? single : partial;
  const isForeign = (grapheme: string) => Array.from(grapheme).some((character) => septetsOf(character) === undefined);
  return {
    segments,
    encoding,
    units: fills.reduce((sum, fill) => sum + fill, 0),
    capacity: size * Math.min(segments, limits.messageSegments),
    fills: fills.map((fill) => fill / size),
    foreign: encoding === 'GSM-7' ? [] : [...new Set(graphemesOf(text).filter(isForeign))],
    plain: encoding === 'GSM-7' ? undefined : plainOf(text),
  };
}

function plainOf(text: string): CountedText['plain'] {
  const characters = Array.from(text, (character) => look(character).plain);
  if (characters.includes(undefined)) return undefined;
  const plain = characters.join('');
  return { text: plain, segments: cutText(plain, septetsOf).fills.length };
}
