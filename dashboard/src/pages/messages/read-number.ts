import { AsYouType } from 'libphonenumber-js/min';

interface TypedNumber {
  /** ISO 3166-1 code, as soon as the digits determine it. */
  readonly country: string | undefined;
  /** Digits of the country code, which several countries may share. */
  readonly callingCode: string | undefined;
  /** As it is written internationally. */
  readonly formatted: string;
  /** Whether it is a whole number; the service knows more of what numbers are for. */
  readonly isValid: boolean;
}

/** A number in E.164 that is being typed, by the smallest metadata there is: loaded when a number is typed. */
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
