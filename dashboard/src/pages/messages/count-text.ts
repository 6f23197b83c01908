import { SegmentedMessage } from 'sms-segments-calculator';
import { cutText, graphemesOf, type Segments, segmentUnits } from '#contract/messages/segments.ts';
import { limits } from '#contract/shared/limits.ts';

/** How an SMS is cut, and why. */
export interface CountedText extends Segments {
  /** Septets of GSM-7, where some characters take two; UTF-16 units of UCS-2. */
  readonly units: number;
  /** That as many segments as it needs can take, of those that may be sent. */
  readonly capacity: number;
  /** How much of each segment is taken, 0 to 1. */
  readonly fills: readonly number[];
  /** What makes it UCS-2, each once. */
  readonly foreign: readonly string[];
  /** The text with plain punctuation, where that makes it GSM-7. */
  readonly plain: { readonly text: string; readonly segments: number } | undefined;
}

interface Character {
  /** Undefined where GSM-7 has not got it. */
  readonly septets: number | undefined;
  /** What stands for it in GSM-7, where something does. */
  readonly plain: string | undefined;
}

const known = new Map<string, Character>();

/** By the library that the service has. */
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

/** Counts as the service does, by the same rule and alphabet: loaded when a text is typed. */
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
