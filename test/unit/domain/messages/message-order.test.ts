import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { NewMessage } from '#contract/messages/messages.ts';
import { messageOrders } from '#domain/messages/message-service.ts';
import { countSegments, readNumber } from '#gateways/phone-numbers.ts';

const parts = { readNumber, countSegments, countries: new Set(['US', 'DE']), hasCalls: true };
const order = messageOrders(parts);
const sms = { channel: 'sms', to: '+14155550100', text: 'Hello' };
const call = { ...sms, channel: 'voice_call' };

function refusal(body: object, make = order): string {
  const { success, output, issues } = v.safeParse(NewMessage, body, { abortEarly: true });
  if (!success) return `${v.getDotPath(issues[0])} ${issues[0].message}`;
  try {
    make(output);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

describe('a message order', () => {
  it.each([
    [{ ...sms, channel: 'fax' }, 'channel must be sms or voice_call'],
    [{ ...sms, to: '14155550100' }, 'to must be a number in E.164 format, such as +14155550100'],
    [{ ...sms, to: '+1 415 555 0100' }, 'to must be a number in E.164 format, such as +14155550100'],
    [{ ...sms, to: '+14155550100;ext=1' }, 'to must be a number in E.164 format, such as +14155550100'],
    [{ ...sms, to: '+１4155550100' }, 'to must be a number in E.164 format, such as +14155550100'],
    [{ ...sms, to: 14_155_550_100 }, 'to must be a string'],
    [{ ...sms, to: '+11155550100' }, 'to is not a valid phone number; check the country code and the digits.'],
    [{ ...sms, to: '+19005550100' }, 'to is a premium-rate, shared-cost or toll-free number; use a mobile number.'],
    [{ ...sms, to: '+79161234567' }, 'to is a number in RU; messages are sent only to: DE, US.'],
    [{ ...sms, to: '+16045550100' }, 'to is a number in CA; messages are sent only to: DE, US.'],
    [{ ...sms, to: '+8816512345678' }, 'to is a number in no country; messages are sent only to: DE, US.'],
    [{ ...sms, text: '' }, 'text must not be empty'],
    [{ ...sms, text: ' \n\u00a0\u2800' }, 'text must have a visible character'],
    [{ ...sms, text: '\u3164\u115f\uffa0\u200b' }, 'text must have a visible character'],
    [{ ...sms, text: 'a\u0000b' }, 'text must not contain control characters other than line breaks'],
    [{ ...sms, text: 'a\u009bb' }, 'text must not contain control characters other than line breaks'],
    [{ ...sms, text: '\ud800' }, 'text must be well-formed Unicode'],
    [{ ...sms, text: 'x'.repeat(460) }, 'text would be 4 segments in GSM-7; an SMS may have at most 3.'],
    [{ ...sms, text: 'ж'.repeat(400) }, 'text would be 6 segments in UCS-2; an SMS may have at most 3.'],
    [{ ...sms, text: 'x'.repeat(10_001) }, 'text must have at most 10000 characters'],
    [{ ...sms, voice: 'joanna' }, 'voice applies to calls only; omit it for an SMS.'],
    [{ ...sms, reference: 'x'.repeat(65) }, 'reference must have at most 64 characters'],
    [{ ...call, text: '😀'.repeat(1001) }, 'text must have at most 1000 characters for a call.'],
  ])('is refused for %j: %s', (body, expected) => {
    expect(refusal(body)).toBe(expected);
  });

  it('is refused with the list of voices if its voice is unknown', () => {
    expect(refusal({ ...call, voice: 'alloy' })).toMatch(/^voice must be one of amy, .*joanna.*zhiyu$/);
  });

  it('is refused if the stage sends to no country, or has no number for calls', () => {
    expect(refusal(sms, messageOrders({ ...parts, countries: new Set() }))).toBe(
      'to is a number in US; messages are sent to no country yet.',
    );
    expect(refusal(call, messageOrders({ ...parts, hasCalls: false }))).toBe(
      'channel must be sms; this service has no number for calls.',
    );
  });
});

it('contains the segments of an SMS or the voice of a call, and costs two credits', () => {
  const made = (body: object) => order(v.parse(NewMessage, body));
  expect(made({ ...sms, text: 'a€'.repeat(60) })).toMatchObject({
    service: 'sms',
    country: 'US',
    segments: 2,
    encoding: 'GSM-7',
    voice: null,
    amount: 2_000_000,
  });
  expect(made({ ...call, to: '+4915112345678', text: '😀'.repeat(1000) })).toMatchObject({
    service: 'voice_call',
    country: 'DE',
    segments: null,
    voice: 'matthew',
    amount: 2_000_000,
  });
  expect(made({ ...call, voice: 'hans', text: 'a\r\nb' })).toMatchObject({ voice: 'hans' });
});
