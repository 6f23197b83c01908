import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import splitSms from 'split-sms';
import { expect, it } from 'vitest';
import { countSegments, readNumber } from '#gateways/phone-numbers.ts';

it('the country of a number is found, and costly numbers are recognized', () => {
  const numbers: [to: string, expected: ReturnType<typeof readNumber>][] = [
    ['+14155550100', { country: 'US', isCostly: false }],
    ['+16045550100', { country: 'CA', isCostly: false }],
    ['+447400123456', { country: 'GB', isCostly: false }],
    ['+4915112345678', { country: 'DE', isCostly: false }],
    ['+41791234567', { country: 'CH', isCostly: false }],
    // Islands, and countries that share a code.
    ['+447781123456', { country: 'GG', isCostly: false }],
    ['+447624123456', { country: 'IM', isCostly: false }],
    ['+18765551234', { country: 'JM', isCostly: false }],
    ['+77012345678', { country: 'KZ', isCostly: false }],
    // Satellites and other networks without a country.
    ['+8816512345678', { country: undefined, isCostly: false }],
    ['+870773111632', { country: undefined, isCostly: false }],
    // Premium-rate, personal, shared-cost and toll-free numbers.
    ['+18005550100', { country: 'US', isCostly: true }],
    ['+448001111111', { country: 'GB', isCostly: true }],
    ['+19005550100', { country: 'US', isCostly: true }],
    ['+499001234567', { country: 'DE', isCostly: true }],
    ['+447012345678', { country: 'GB', isCostly: true }],
    ['+448431234567', { country: 'GB', isCostly: true }],
    // Too short, too long, unknown area, unknown country.
    ['+1415555010', undefined],
    ['+141555501000', undefined],
    ['+11155550100', undefined],
    ['+9991234567', undefined],
    ['+4915', undefined],
  ];
  for (const [to, expected] of numbers) expect([to, readNumber(to)]).toEqual([to, expected]);
});

const gsm = '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCXYZÄÖÑÜ§¿abcxyzäöñüà';
const extended = '^{}\\[~]|€';
const others = 'ąčЖ漢字ñçêā’…“œ٣';
const astral = '😀𝒳🀄';

it('texts have the expected number of segments', () => {
  const sizes: [text: string, segments: number, encoding: string][] = [
    ['a', 1, 'GSM-7'],
    ['a'.repeat(160), 1, 'GSM-7'],
    ['a'.repeat(161), 2, 'GSM-7'],
    ['a'.repeat(459), 3, 'GSM-7'],
    ['a'.repeat(460), 4, 'GSM-7'],
    ['€'.repeat(80), 1, 'GSM-7'],
    ['€'.repeat(81), 2, 'GSM-7'],
    // An escape and its character stay together, and 153 is odd.
    ['€'.repeat(229), 4, 'GSM-7'],
    ['ж'.repeat(70), 1, 'UCS-2'],
    ['ж'.repeat(71), 2, 'UCS-2'],
    ['ж'.repeat(201), 3, 'UCS-2'],
    ['ж'.repeat(202), 4, 'UCS-2'],
    ['😀'.repeat(35), 1, 'UCS-2'],
    ['😀'.repeat(36), 2, 'UCS-2'],
    ['a'.repeat(159) + '’', 3, 'UCS-2'],
  ];
  for (const [text, segments, encoding] of sizes)
    expect([text, countSegments(text)]).toEqual([text, { segments, encoding }]);
});

it('random texts have the same number of segments as in a second library', () => {
  const of = (characters: string, max: number) =>
    fc.array(fc.constantFrom(...Array.from(characters)), { minLength: 1, maxLength: max }).map((list) => list.join(''));
  const texts = fc.oneof(
    of(gsm, 500),
    of(gsm + extended, 500),
    of(gsm + extended + others, 260),
    of(gsm.replace('\r', '') + others + astral, 160),
  );
  // A line break of two characters is one grapheme, which the two libraries count alike.
  const property = fc.property(texts, (text) => {
    const { characterSet, parts } = splitSms.split(text);
    const encoding = characterSet === 'GSM' ? 'GSM-7' : 'UCS-2';
    expect(countSegments(text)).toEqual({ segments: parts.length, encoding });
  });
  fc.assert(property, { numRuns: 400 });
});

it('random texts have the same number of segments as in a library that counts graphemes', () => {
  const pieces = ['a', '€', '\n', 'ж', '😀', '🇩🇪', '👨‍👩‍👧‍👦', 'e\u0301', '한', '👍🏽'];
  const texts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 160 }).map((list) => list.join(''));
  const property = fc.property(texts, (text) => {
    const { segmentsCount, encodingName } = new SegmentedMessage(text);
    expect(countSegments(text)).toEqual({ segments: segmentsCount, encoding: encodingName });
  });
  fc.assert(property, { numRuns: 200 });
});

it.each(['\u0301', '👨\u200d', '\u1100', '\u0e33', '\u200d', 'a', '€', '😀', '\r\n'])(
  'ten thousand of %j are counted in linear time',
  (character) => {
    const text = `${character.repeat(Math.floor(9990 / character.length))}a`;
    const times = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      countSegments(text);
      return performance.now() - begun;
    });
    expect(Math.min(...times)).toBeLessThan(30);
  },
);

it('a letter with more marks than a segment holds is counted by its units', () => {
  expect(countSegments(`a${'\u0301'.repeat(9999)}`)).toEqual({ segments: Math.ceil(10_000 / 67), encoding: 'UCS-2' });
});
