import { beforeAll, describe, expect, it } from 'vitest';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { services } from '#runtime/services/container.ts';
import { times } from '#test/many.ts';
import { expectNoCharge, partFailures } from '#test/models/hostile/failing-parts.ts';
import { usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService({ environment: { MODEL_DEADLINE_MS: '4000' } });
const refused = usePerson(service);
beforeAll(async () => {
  // Loading the vocabulary takes seconds on a busy machine, so load it before the tests.
  await bpeTokenizer.count('a');
});

const text = '👍 The Aurora 5 is superb, but the strap broke in Oslo. Write to ada@example.com.';
const sample = { text, analyses: ['sentiment', 'entities', 'pii'] };
const analyze = (key: string, body: unknown = sample) => service.call('POST', '/api/ai/analyze', { key, body });
const labels = ['delivery', 'quality'];

describe('POST /api/ai/analyze', () => {
  it('returns only the requested analyses, and charges 5 credits', async () => {
    const { key } = await service.person();
    const { status, body, headers } = await analyze(key);
    expect(status).toBe(200);
    expect(body).toEqual({
      message: 'SUCCESS',
      error: false,
      status: 200,
      data: {
        sentiment: { label: 'mixed', score: null },
        entities: [
          { text: 'Aurora 5', type: 'PRODUCT', start: 6, end: 14, score: null },
          { text: 'Oslo', type: 'LOCATION', start: 49, end: 53, score: null },
        ],
        pii: [{ type: 'EMAIL', start: 64, end: 79, source: 'rule' }],
        redactedText: text.replace('ada@example.com', '[EMAIL]'),
        unlocated: 0,
        model: 'svc-instruct',
        credits: 5,
      },
    });
    expect(headers.get('x-credits-charged')).toBe('5');
    expect(headers.get('x-credits-remaining')).toBe('95');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('9');
  });

  it('returns offsets in UTF-16 code units if requested', async () => {
    const { key } = await service.person();
    const { entities, pii } = (await analyze(key, { ...sample, offsetUnit: 'utf16' })).body.data;
    const spans: [number, number][] = [...entities, ...pii].map(({ start, end }) => [start, end]);
    expect(spans.map((span) => text.slice(...span))).toEqual(['Aurora 5', 'Oslo', 'ada@example.com']);
  });

  it('costs the same for any number of analyses, and is recorded as text analysis', async () => {
    const { key, cookie } = await service.person();
    const all = ['sentiment', 'entities', 'key_phrases', 'language', 'pii', 'categories'];
    const { data } = (await analyze(key, { text, analyses: all, labels, language: 'EN' })).body;
    expect(Object.keys(data).toSorted()).toEqual([
      'categories',
      'credits',
      'entities',
      'keyPhrases',
      'language',
      'model',
      'pii',
      'redactedText',
      'sentiment',
      'unlocated',
    ]);
    expect(data).toMatchObject({
      language: { code: 'en', score: null },
      categories: [{ label: 'quality', score: null }],
      credits: 5,
    });
    const response = await service.call('POST', '/api/ai/analyze', { cookie, body: { text, analyses: ['language'] } });
    expect([response.status, Object.keys(response.body.data)]).toEqual([
      200,
      ['language', 'unlocated', 'model', 'credits'],
    ]);
    const quota = await service.call('GET', '/api/services/text_analysis/quota', { key });
    expect(quota.body.data).toMatchObject({ used: 10, remaining: 90 });
    await service.settled();
    const requests = await service.call('GET', '/api/requests?service=text_analysis', { cookie });
    expect(requests.body.data.requests).toHaveLength(2);
    expect(JSON.stringify(requests.body)).not.toContain('Aurora');
  });

  it('accepts 5,000 characters of any script', async () => {
    const { key } = await service.person();
    const { status, body } = await analyze(key, { text: '😀'.repeat(5000), analyses: ['sentiment', 'pii'] });
    expect([status, body.data?.sentiment, body.data?.pii]).toEqual([200, { label: 'neutral', score: null }, []]);
  });

  const withLabels = (some: unknown) => ({ text, analyses: ['categories'], labels: some });
  const long = times(20, (at) => `${at}`.padEnd(2) + '😀'.repeat(62));

  it.each([
    ['no text', { ...sample, text: undefined }, /^text is required\./],
    ['null as text', { ...sample, text: null }, /^text must be a string\./],
    ['empty text', { ...sample, text: '' }, /^text must not be empty\./],
    ['text that shows nothing', { ...sample, text: ' \u200b\u2800\n' }, /^text must have a visible character\./],
    ['5,001 characters', { ...sample, text: '😀'.repeat(5001) }, /^text must have at most 5000 characters\./],
    ['half of a character', '{"text":"\\ud800","analyses":["pii"]}', /^text must be well-formed Unicode\./],
    ['no analyses', { text }, /^analyses is required\./],
    ['an analysis in place of a list', { text, analyses: 'pii' }, /^analyses must be a list\./],
    ['no analysis', { text, analyses: [] }, /^analyses must name at least one analysis\./],
    ['an unknown analysis', { text, analyses: ['pii', 'mood'] }, /^analyses\.1 must be one of sentiment, entities, /],
    ['an analysis twice', { text, analyses: ['pii', 'pii'] }, /^analyses must not have duplicates\./],
    ['categories without labels', withLabels(undefined), /^labels is required with the analysis categories\./],
    [
      'labels without categories',
      { ...sample, labels },
      /^labels must be absent unless analyses includes categories\./,
    ],
    ['labels that are no list', withLabels('a, b'), /^labels must be a list\./],
    ['one label', withLabels(['a']), /^labels must have at least 2 labels\./],
    ['21 labels', withLabels(times(21, String)), /^labels must have at most 20 labels\./],
    ['a label twice', withLabels(['a', 'b', 'a']), /^labels must not have duplicates\./],
    ['a label twice, once decomposed', withLabels(['é', ' e\u0301']), /^labels must not have duplicates\./],
    ['a label that shows nothing', withLabels(['a', '\u200b ']), /^labels\.1 must have a visible character\./],
    ['an empty label', withLabels(['a', '']), /^labels\.1 must not be empty\./],
    ['a label of 65 characters', withLabels(['a', '😀'.repeat(65)]), /^labels\.1 must have at most 64 characters\./],
    [
      'labels that leave the text no room',
      withLabels(long),
      /^labels must leave room for the text in the 4096 tokens of/,
    ],
    ['a label that is no string', withLabels(['a', 1]), /^labels\.1 must be a string\./],
    ['an unknown language', { ...sample, language: 'xx' }, /^language must be a two-letter ISO 639-1 language code\./],
    ['a language with its region', { ...sample, language: 'pt-BR' }, /^language must be a two-letter/],
    ['an unknown unit', { ...sample, offsetUnit: 'bytes' }, /^offsetUnit must be code_point or utf16\./],
    ['a list', '[]', /JSON object/],
  ])('returns 400 for %s without a charge', async (_, body, detail) => {
    const response = await analyze(refused.key, body);
    expect([response.status, response.body.message]).toEqual([400, 'INVALID_FORMAT']);
    expect(response.body.detail).toMatch(detail);
    expect(await services().metering().find(refused.id)).toMatchObject({
      spendable: 100_000_000,
      used: {},
      holds: new Map(),
    });
  });

  it.each(partFailures)('charges nothing if the model fails one of many parts: %s', (...failure) =>
    expectNoCharge(service, failure, ({ key }) =>
      analyze(key, { ...sample, text: `${text}${'😀'.repeat(60)} `.repeat(35) }),
    ),
  );
});
