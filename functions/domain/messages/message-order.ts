import type { Encoding, NewMessage } from '#contract/messages/messages.ts';
import { defaultVoice } from '#contract/messages/voices.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Order } from '../inference/order.ts';
import { fixedPrice } from '../meter/pricing.ts';
import { codePoints } from '../shared/text/code-points.ts';
import type { CountSegments, ReadNumber } from './ports.ts';
import { refused } from './refusals.ts';

/** A message that may be sent. */
export interface MessageOrder extends Order, Pick<NewMessage, 'channel' | 'to' | 'text'> {
  readonly service: 'sms' | 'voice_call';
  readonly country: string;
  readonly segments: number | null;
  readonly encoding: Encoding | null;
  readonly voice: string | null;
  readonly reference: string | null;
}

export interface OrderParts {
  readonly readNumber: ReadNumber;
  readonly countSegments: CountSegments;
  /** ISO 3166-1 codes of where messages go. */
  readonly countries: ReadonlySet<string>;
  /** Whether there is a number to call from. */
  readonly hasCalls: boolean;
}

/** Refuses (400) what cannot be sent, and knows what the rest costs. */
export function messageOrders({ readNumber, countSegments, countries, hasCalls }: OrderParts) {
  function countryOf(to: string): string {
    const number = readNumber(to);
    if (!number) throw refused('to', 'to is not a valid phone number; check the country code and the digits.');
    if (number.isCostly)
      throw refused('to', 'to is a premium-rate, shared-cost or toll-free number; use a mobile number.');
    const { country } = number;
    if (country !== undefined && countries.has(country)) return country;
    const names = countries.size > 0 ? `only to: ${[...countries].toSorted().join(', ')}` : 'to no country yet';
    throw refused('to', `to is a number in ${country ?? 'no country'}; messages are sent ${names}.`);
  }

  return function order({ channel, to, text, voice, reference }: NewMessage): MessageOrder {
    const country = countryOf(to);
    const common = { model: '', service: channel, amount: fixedPrice(channel), channel, to, text, country, reference };
    if (channel === 'voice_call') {
      if (!hasCalls) throw refused('channel', 'channel must be sms: there is no number to call from.');
      if (codePoints(text) > limits.callCharacters)
        throw refused('text', `text must have at most ${limits.callCharacters} characters for a call.`);
      return { ...common, segments: null, encoding: null, voice: voice ?? defaultVoice };
    }
    if (voice !== undefined) throw refused('voice', 'voice applies to calls only; leave it out for an SMS.');
    const { segments, encoding } = countSegments(text);
    if (segments > limits.messageSegments) {
      const detail = `text would be ${segments} segments in ${encoding}; an SMS may have at most ${limits.messageSegments}.`;
      throw refused('text', detail);
    }
    return { ...common, segments, encoding, voice: null };
  };
}
