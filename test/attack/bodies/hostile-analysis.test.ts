import { describe, expect, it } from 'vitest';
import { personalData } from '#domain/analysis/redact.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';
import { hostilePieces, hostileText, processorMs, randomOf } from '#test/attacks/hostile-texts.ts';
import { seed } from '#test/many.ts';
import { analysisBy, reply, textOf } from '#test/models/analysis-model.ts';

const points = 5000;
const full = (piece: string): string =>
  Array.from(piece.repeat(Math.ceil(points / Array.from(piece).length)))
    .slice(0, points)
    .join('');

/** The first of three tries below the bound, because other processes use CPU time too. */
async function minProcessorMs(work: () => unknown, bound: number): Promise<number> {
  const tries: number[] = [];
  while (tries.length < 3 && !tries.some((ms) => ms < bound)) tries.push(await processorMs(work));
  return Math.min(...tries);
}

const random = randomOf(seed);
/** `·` stands for a space. */
const pieces =
  `1 @ +1·( +1·212·555·236 +1·2·3·4·5·6·7·8·9·0·1·2·3·4·5· 001· 00·1· +1234567· 0012345678· 4111 4·1·1·1· 4111·1111·1111·1112·
  a@a a@a. @a.a- a. a-.a@ x@x.co· DE89· DE893704 de89·a1b2· 1.1. 1.2.3.4 :: a: 1::1· http:// http://. https://( www. www.a,,,,, [EMAIL] [' 😀@
  ٣+ ٣·٣٣· ９ +49·151·1234567· DE89·3704·0044·0532·0130·00· 4111111111111111· 192.0.2.1· \u0301 - --1 .... 1. :. a-
  http://[ http://[a http://{ "@ "@"@ "a"@ 4\u200b 1\u00ad·+ dead:beef: a:b::c: DE·8·9· DE89·1 IBANDE89 +\u00ad1· a@[1 a@a.b2 ＠ １`
    .split(/\s+/)
    .map((piece) => piece.replaceAll('·', ' '));
const texts: [string, string][] = [
  ...pieces.map((piece): [string, string] => [JSON.stringify(piece), full(piece)]),
  ...[...Object.keys(hostilePieces), 'all kinds'].map((kind): [string, string] => [
    kind,
    full(hostileText(kind, 20_000, random)),
  ]),
];

/** Maximum CPU milliseconds for one text, without the model. */
const boundMs = 250;

describe(`the CPU time of an analysis (SEED=${seed})`, () => {
  it.each(texts)('is bounded for 5,000 code points of %s', async (_, text) => {
    const isPhoneNumber = await loadPhoneNumbers();
    expect(await minProcessorMs(() => personalData(text, [], isPhoneNumber), boundMs)).toBeLessThan(boundMs);
  });

  it.each([
    ['that overlap', full('a'), (index: number) => 'a'.repeat(index + 1)],
    ['of all lengths', full('ab '), (index: number) => 'ab '.repeat(index + 1)],
    ['that almost match', full('a'), (index: number) => `b${'a'.repeat(220 - index)}`],
    ['that differ in the last character', full('a'), (index: number) => `${'a'.repeat(220 - index)}b`],
    ['of combining marks', full('a\u0301'), (index: number) => 'a\u0301'.repeat(index + 1)],
    ['of one character each', full('😀'), () => '😀'],
    ['of lone surrogates', full('😀'), () => '\ud83d'],
  ])('is bounded for a model that returns the maximum number of quotes %s', async (_, text, quoteOf) => {
    const quotes = Array.from({ length: 200 }, (_value, index) => quoteOf(index)).map((quote) => quote.slice(0, 70));
    const entities = quotes.map((quote) => ({ text: quote, type: 'OTHER' }));
    // A full list is requested again.
    const pii = quotes.slice(1).map((quote) => ({ text: quote, type: 'PERSON' }));
    const { analyze } = analysisBy((request) => {
      const own = textOf(request).length % 7;
      return reply({ entities: entities.slice(own), key_phrases: quotes.slice(own), pii: pii.slice(own) });
    });
    const work = () => analyze({ text, analyses: ['entities', 'key_phrases', 'pii'] });
    expect(await minProcessorMs(work, 2 * boundMs)).toBeLessThan(2 * boundMs);
    const found = await work();
    expect(found.entities!.length).toBeLessThanOrEqual(1000);
    expect(found.keyPhrases!.length).toBeLessThanOrEqual(1000);
  });
});
