import { AsYouType } from 'libphonenumber-js/min';

interface TypedNumber {
  /** ISO 3166-1 code, once the digits determine it. */
  readonly country: string | undefined;
  /** Country calling code, which several countries may share. */
  readonly callingCode: string | undefined;
  /** International format. */
  readonly formatted: string;
  /** Whether the number is complete. The service checks more. */
  readonly isValid: boolean;
}

/** Parses a partial E.164 number with the smallest metadata of the library. Loaded when a number is typed. */
export function readNumber(e164: string): TypedNumber {
  const typing = new AsYouType();
  const formatted = typing.input(e164);
  return {
    country: typing.getCountry(),
    callingCode: typing.getCallingCode(),
    formatted,
    isValid: typing.isValid(),
  };
}
