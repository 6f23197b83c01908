import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { SegmentedMessage } from 'sms-segments-calculator';
import { cutText } from '#contract/messages/segments.ts';
import type { CountSegments, ReadNumber } from '#domain/messages/message.ts';

/** libphonenumber-js with its smallest metadata: country codes and number lengths. Loaded on first use. */
export async function loadPhoneNumbers(): Promise<(international: string) => boolean> {
  const { default: parse } = await import('libphonenumber-js/min');
  return (international) => parse(international, { extract: false })?.isPossible() ?? false;
}

const costly: ReadonlySet<NumberType> = new Set([
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'PERSONAL_NUMBER',
  'UAN',
  'PAGER',
  'VOICEMAIL',
]);

/** With full metadata: the numbering plans and number types of all countries. */
export const readNumber: ReadNumber = (e164) => {
  const number = parsePhoneNumberFromString(e164, { extract: false });
  if (!number?.isValid() || number.number !== e164) return undefined;
  return { country: number.country, isCostly: costly.has(number.getType()) };
};

const knownSeptets = new Map<string, number>();

/**
 * Uses the library's alphabet. Its own count takes hundreds of milliseconds for the longest texts, and requests without
 * a key could trigger it, so this looks up each character once.
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
