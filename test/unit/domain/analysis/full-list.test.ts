import { describe, expect, it } from 'vitest';
import { analysisBy, reply, textOf } from '#test/models/analysis-model.ts';

const text = 'Ada wrote from Oslo.';
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a list of personal data that is full', () => {
  const name = (index: number) => ({ text: `Ada${index}`, type: 'PERSON' });
  const listOf = (length: number) => reply({ pii: Array.from({ length }, (_, index) => name(index)) });
  const long = Array.from({ length: 250 }, (_, index) => `Ada${index} wrote.`).join(' ');

  it('is requested again in smaller parts, so that no name stays', async () => {
    const { analyze, requests } = analysisBy((request) =>
      requests.length === 1
        ? listOf(200)
        : reply({ pii: (textOf(request).match(/Ada\d+/g) ?? []).map((quote) => ({ text: quote, type: 'PERSON' })) }),
    );
    expect((await analyze({ text: long, analyses: ['pii'] })).redactedText).not.toContain('Ada');
    expect(requests.length).toBeGreaterThan(2);
  });

  it('ends the call as a MODEL_ERROR when that of a smaller part is full too', async () => {
    const { analyze, requests } = analysisBy(() => listOf(200));
    expect(await failure(analyze({ text: long, analyses: ['pii'] }))).toMatchObject({ code: 'MODEL_ERROR' });
    expect(requests.length).toBeGreaterThan(2);
    const short = analysisBy(() => listOf(200));
    expect(await failure(short.analyze({ text, analyses: ['pii'] }))).toMatchObject({ code: 'MODEL_ERROR' });
    expect(short.requests).toHaveLength(2);
  });

  it('is not one of 199', async () => {
    const { analyze, requests } = analysisBy(() => listOf(199));
    await analyze({ text: long, analyses: ['pii'] });
    expect(requests).toHaveLength(1);
  });
});
