import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { expectNoCharge, partFailures } from '#test/models/hostile/failing-parts.ts';
import { usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService({ environment: { MODEL_DEADLINE_MS: '2000' } });
const refused = usePerson(service);

const sample = { text: 'Good morning, my friend!', sourceLanguage: 'en', targetLanguage: 'fr' };
const translate = (key: string, body: unknown = sample) => service.call('POST', '/api/ai/translate', { key, body });
const words = (count: number) => 'word '.repeat(count);

describe('POST /api/ai/translate', () => {
  it('returns the translation, and charges 10 credits per started 100 words', async () => {
    const { key } = await service.person();
    const { status, body, headers } = await translate(key);
    expect(status).toBe(200);
    expect(body).toEqual({
      message: 'SUCCESS',
      error: false,
      status: 200,
      data: {
        translatedText: 'Bon matin, mon ami!',
        sourceLanguage: 'en',
        targetLanguage: 'fr',
        words: 4,
        credits: 10,
      },
    });
    expect(headers.get('x-credits-charged')).toBe('10');
    expect(headers.get('x-credits-remaining')).toBe('90');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('9');
    const longer = await translate(key, { ...sample, text: words(101) });
    expect(longer.body.data).toMatchObject({ words: 101, credits: 20 });
    expect(longer.headers.get('x-credits-charged')).toBe('20');
    const balance = await service.call('GET', '/api/credits/me', { key });
    expect(balance.body.data.used).toEqual({ translation: 30, audio: 0, voice_call: 0, sms: 0 });
  });

  it('accepts a session with a confirmed address', async () => {
    const { cookie } = await service.person();
    const response = await service.call('POST', '/api/ai/translate', { cookie, body: sample });
    expect([response.status, response.body.data?.translatedText]).toEqual([200, 'Bon matin, mon ami!']);
    expect(response.headers.get('x-credits-charged')).toBe('10');
    const balance = await service.call('GET', '/api/credits/me', { cookie });
    expect(balance.body.data.used.translation).toBe(10);
  });

  it('echoes the language codes unchanged, and keeps the whitespace', async () => {
    const { key } = await service.person();
    const text = '\n Good day.\n\n\tThe house is red.  ';
    const { body } = await translate(key, { text, sourceLanguage: 'EN', targetLanguage: 'De' });
    expect(body.data).toMatchObject({
      translatedText: '\n Guten Tag.\n\n\tDie Haus ist rot.  ',
      sourceLanguage: 'EN',
      targetLanguage: 'De',
    });
  });

  it('returns 402 if the credits do not cover the whole text', async () => {
    const { key, id } = await service.person();
    const { status, body } = await translate(key, { ...sample, text: words(1001) });
    expect([status, body.message]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect((await translate(key, { ...sample, text: words(1000) })).status).toBe(200);
    expect(await services().metering().find(id)).toMatchObject({ spendable: 0, holds: new Map() });
  });

  it.each([
    ['no text', { ...sample, text: undefined }, /^text is required/],
    ['empty text', { ...sample, text: '' }, /^text must not be empty/],
    ['text without a word', { ...sample, text: ' \n\t ' }, /^text must have at least one word/],
    ['text that is no string', { ...sample, text: ['Hello'] }, /^text must be a string/],
    ['a lone surrogate', '{"text":"\\ud800","sourceLanguage":"en","targetLanguage":"fr"}', /^text must be well-formed/],
    ['5,001 words', { ...sample, text: words(5001) }, /^text must have at most 5000 words, and it has 5001/],
    ['5,001 words of Chinese', { ...sample, text: '你好，'.repeat(5001) }, /at most 5000 words, and it has 5001/],
    ['no source', { ...sample, sourceLanguage: undefined }, /^sourceLanguage is required/],
    ['no target', { ...sample, targetLanguage: undefined }, /^targetLanguage is required/],
    ['null as target', { ...sample, targetLanguage: null }, /^targetLanguage must be a string/],
    ['an unknown source', { ...sample, sourceLanguage: 'xx' }, /^sourceLanguage must be a two-letter ISO 639-1/],
    ['a code of three letters', { ...sample, targetLanguage: 'fra' }, /^targetLanguage must be a two-letter/],
    ['a region', { ...sample, targetLanguage: 'pt-BR' }, /^targetLanguage must be a two-letter/],
    ['a name', { ...sample, targetLanguage: 'French' }, /^targetLanguage must be a two-letter/],
    ['the same language twice', { ...sample, targetLanguage: 'EN' }, /^targetLanguage must differ from sourceLanguage/],
    ['a list', '[]', /JSON object/],
  ])('returns 400 for %s without a charge', async (_, body, detail) => {
    const response = await translate(refused.key, body);
    expect([response.status, response.body.message]).toEqual([400, 'INVALID_FORMAT']);
    expect(response.body.detail).toMatch(detail);
    expect(await services().metering().find(refused.id)).toMatchObject({ spendable: 100_000_000, holds: new Map() });
  });

  it.each(partFailures)('charges nothing if the model fails one of many parts: %s', (...failure) =>
    expectNoCharge(service, failure, ({ key }) => translate(key, { ...sample, text: words(900) })),
  );
});
