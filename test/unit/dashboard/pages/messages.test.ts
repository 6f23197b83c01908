import { i18n } from '@lingui/core';
import fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import { type CountryCode, getExampleNumber } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json' with { type: 'json' };
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type MessageStatus, NewMessage } from '#contract/messages/messages.ts';
import { type Failure, failures } from '#contract/messages/names.ts';
import { countSegments, readNumber } from '#gateways/phone-numbers.ts';
import { countText } from '../../../../dashboard/src/pages/messages/count-text.ts';
import {
  draftSchema,
  e164Of,
  emptyDraft,
  exampleBody,
  messageBody,
  failureMeanings,
  isFinal,
  pollMsOf,
} from '../../../../dashboard/src/pages/messages/message.ts';
import { readNumber as readTyped } from '../../../../dashboard/src/pages/messages/read-number.ts';

describe('the text field of a message', () => {
  it('counts characters like the service', () => {
    const characters = fc.constantFrom(...Array.from('aé€[]{}~\n\r ’…ąЖ漢ç😀'), '👨‍👩‍👧', '\u0301', '\u200b', '👍🏽', '\r\n');
    const texts = fc.array(characters, { maxLength: 500 }).map((list) => list.join(''));
    const property = fc.property(texts, (text) => {
      const { segments, encoding, fills, foreign } = countText(text);
      expect({ segments, encoding }).toEqual(countSegments(text));
      expect(fills).toHaveLength(segments);
      expect(foreign.length > 0).toBe(encoding === 'UCS-2');
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('displays the used units and the capacity of its segments', () => {
    const counts: [text: string, units: number, capacity: number][] = [
      ['a', 1, 160],
      ['€', 2, 160],
      ['a'.repeat(161), 161, 306],
      // More than the maximum of a message.
      ['a'.repeat(460), 460, 459],
      ['😀', 2, 70],
      ['ж'.repeat(71), 71, 134],
      ['ж'.repeat(300), 300, 201],
    ];
    for (const [text, units, capacity] of counts) expect(countText(text)).toMatchObject({ units, capacity });
  });

  it('names the characters that require UCS-2, and offers a GSM-7 text if they are only punctuation', () => {
    const quoted = countText(`It’s “here” … ${'a'.repeat(60)}`);
    expect(quoted).toMatchObject({ segments: 2, foreign: ['’', '“', '”', '…'] });
    expect(quoted.plain).toEqual({ text: `It's "here" ... ${'a'.repeat(60)}`, segments: 1 });
    expect(countText('It’s 😀').plain).toBeUndefined();
    expect(countText('It is here').foreign).toEqual([]);
  });
});

describe('the phone number field', () => {
  it('accepts any way of writing a number, and sends E.164', () => {
    const written = [
      '+1 (415) 555-0100',
      '001 415 555 0100',
      '+1.415.555.0100',
      '\u202a+1\u00a0415\u2011555\u20110100\u202c',
      '＋１４１５５５５０１００',
      ' +14155550100\t',
    ];
    for (const to of written) expect([to, e164Of(to)]).toEqual([to, '+14155550100']);
    expect(e164Of('415 555 0100')).toBe('4155550100');
  });

  it('detects the same country as the service, in all countries', () => {
    const countries = Object.keys(metadata.countries) as CountryCode[];
    const numbers = countries.flatMap((country) => getExampleNumber(country, examples)?.number ?? []);
    expect(numbers.length).toBeGreaterThan(200);
    const differing = numbers.filter((to) => {
      const [typed, found] = [readTyped(to), readNumber(to)];
      return found !== undefined && (!typed.isValid || typed.country !== found.country);
    });
    expect(differing).toEqual([]);
  });

  it('detects the country as soon as the digits determine it, and accepts no incomplete number', () => {
    const begun: [to: string, country: string | undefined][] = [
      ['+4', undefined],
      ['+49', 'DE'],
      ['+1415', undefined],
      ['+44', undefined],
    ];
    for (const [to, country] of begun) expect([to, readTyped(to)]).toMatchObject([to, { country, isValid: false }]);
  });
});

it('a draft becomes a valid request: a voice only for calls, a reference only if set', () => {
  const draft = { ...emptyDraft, to: '+1 415 555 0100', text: 'Hello' };
  expect(messageBody(draft)).toEqual({ channel: 'sms', to: '+14155550100', text: 'Hello' });
  const call = { ...draft, channel: 'voice_call' as const, reference: 'order-1' };
  expect(messageBody(call)).toEqual({
    ...messageBody(draft),
    channel: 'voice_call',
    voice: 'matthew',
    reference: 'order-1',
  });
  expect(v.is(draftSchema, call)).toBe(true);
  expect(v.is(draftSchema, emptyDraft)).toBe(false);
});

it('the code example uses the entered values, and valid examples for empty fields', () => {
  expect(v.is(NewMessage, exampleBody(emptyDraft))).toBe(true);
  const typed = { ...emptyDraft, to: '+44 7911 123456', text: 'Hello' };
  expect(exampleBody(typed)).toEqual(messageBody(typed));
});

it('each failure has its own sentence, which suggests a retry only if the failure is not final', () => {
  const sentenceOf = (failure: Failure) => i18n._(failureMeanings[failure]);
  const sentences = failures.map(sentenceOf);
  expect(new Set(sentences).size).toBe(failures.length);
  const helpless = failures.filter((failure) => !/(?:send it|call) again/i.test(sentenceOf(failure)));
  expect(failures.filter(isFinal)).toEqual(helpless);
});

const now = Date.UTC(2026, 0, 1);
const message = (status: MessageStatus, seconds: number) => ({
  status,
  createdAt: new Date(now - 1000 * seconds).toISOString(),
});

it('pending messages are polled less and less often, for at most 15 minutes', () => {
  const cases: [messages: ReturnType<typeof message>[], expected: number | false][] = [
    [[], false],
    [[message('delivered', 1), message('undelivered', 1), message('failed', 1), message('unknown', 1)], false],
    [[message('delivered', 1), message('sent', 5)], 1000],
    [[message('queued', 0)], 1000],
    [[message('sent', 60)], 3000],
    [[message('sent', 300), message('sent', 3000)], 15_000],
    [[message('sent', 900)], false],
  ];
  for (const [messages, expected] of cases) expect([messages, pollMsOf(messages, now)]).toEqual([messages, expected]);
});
