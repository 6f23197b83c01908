import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { ReadNumber } from '#domain/messages/ports.ts';

const costly: ReadonlySet<NumberType> = new Set([
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'PERSONAL_NUMBER',
  'UAN',
  'PAGER',
  'VOICEMAIL',
]);

/** With all metadata: the numbering plans of all countries, and what their numbers are for. */
export const readNumber: ReadNumber = (e164) => {
  const number = parsePhoneNumberFromString(e164, { extract: false });
  if (!number?.isValid() || number.number !== e164) return undefined;
  return { country: number.country, isCostly: costly.has(number.getType()) };
};
