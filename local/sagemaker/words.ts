/**
 * Splits text into the demo engine's tokens: words (long ones in pieces), single punctuation marks and single Chinese
 * or Japanese characters, each with its preceding space. The tokens joined are the text, and there are at most as many
 * as UTF-8 bytes.
 */
export function tokenize(text: string): string[] {
  return text.match(token) ?? [];
}

const token =
  /\s*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\s*[\p{L}\p{M}\p{N}'’]{1,16}|\s*[^\s\p{L}\p{M}\p{N}'’]|\s+/gu;

export function countTokens(text: string): number {
  return tokenize(text).length;
}

/** FNV-1a, 32 bits, over UTF-16 units. */
export function hash(text: string, seed = 0x811c9dc5): number {
  let value = seed;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

/** Pseudorandom numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lower-case words that are not common, without duplicates, in order. */
export function meaningfulWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]{3,40}/gu) ?? [];
  return [...new Set(words)].filter((word) => !isCommon(word));
}

/** Whether a lower-case word is too common to indicate a subject. */
export function isCommon(word: string): boolean {
  return common.has(word);
}

const common: ReadonlySet<string> = new Set(
  `a about above after again all also am an and another any are around as ask at back be because been before being
  between book both but by call can cannot check come could current currently data did do does doing done each else even
  every example few find first following for from function get give given gives go going good had has have having he
  hello help her here hers hey hi him his how i if in information input into is it its itself just kind know last let
  like list look made make many may me might mine more most much must my name need needs new next no not now number of
  off on once one only open or other our out over own parameter please put query request result return returns run said
  same say search see set shall she should show so some something sort specified start still string such take tell text
  than thank thanks that the their them then there these they thing things this those three through time to today
  together tool too two under until up us use used user uses using value very want was way we well were what whats when
  where which while who whom why will with within without word words work would write yes yet you your yours`
    .split(/\s+/)
    .filter(Boolean),
);
