import { SegmentedMessage } from 'sms-segments-calculator';
import { cutText } from '#contract/messages/segments.ts';
import type { CountSegments } from '#domain/messages/ports.ts';

const knownSeptets = new Map<string, number>();

/**
 * The alphabet is the library's. Its own count takes hundreds of milliseconds for the longest texts, also of whoever holds no key, so each character is
 * looked up once.
 */
function septetsOf(character: string): number | undefined {
  const known = knownSeptets.get(character);
  if (known !== undefined) return known;
  const { encodingName, numberOfCharacters } = new SegmentedMessage(character);
  if (encodingName !== 'GSM-7') return undefined;
  knownSeptets.set(character, numberOfCharacters);
  return numberOfCharacters;
}

export const countSegments: CountSegments = (text) => {
  const { encoding, fills } = cutText(text, septetsOf);
  return { segments: fills.length, encoding };
};
