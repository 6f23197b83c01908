import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnalysisName } from '#contract/analysis/names.ts';
import { AnalysisEncoders } from '#contract/platform/model-endpoints.ts';
import { encodersOf } from '#gateways/encoders.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import type { Engine } from '#local/sagemaker/engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';
import { analysisBy, reply, textOf } from '#test/models/analysis-model.ts';

/** TEI accepts a batch of texts only as lists of one (router/src/http/types.rs, PredictInput). */
const Batch = v.strictObject({
  inputs: v.pipe(v.array(v.pipe(v.array(v.string()), v.length(1))), v.minLength(1), v.maxLength(32)),
  truncate: v.literal(false),
  raw_scores: v.literal(false),
});
/** The Hugging Face toolkit accepts one text per request. */
const Tokens = v.strictObject({
  inputs: v.string(),
  parameters: v.strictObject({ aggregation_strategy: v.literal('simple') }),
});

const faults = createFaults();
const sent: unknown[] = [];
let respond: (body: unknown) => unknown;
const engine: Engine = {
  async invoke(body) {
    sent.push(body);
    return { kind: 'json', status: 200, body: respond(body) };
  },
};
let server: Loopback;
let client: SageMakerRuntimeClient;
beforeAll(async () => {
  const endpoints = new Map(['moods', 'tongues', 'names'].map((name) => [name, 'vllm'] as const));
  server = await startSageMaker({ engine, faults, endpoints });
  client = new SageMakerRuntimeClient({
    endpoint: server.url,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

const settings = v.parse(AnalysisEncoders, {
  sentiment: { endpoint: 'moods', labels: { LABEL_0: 'negative' } },
  language: { endpoint: 'tongues' },
  entities: { endpoint: 'names', labels: { MISC: 'EVENT' } },
});

function analyze(text: string, analyses: AnalysisName[], body: (sent: unknown) => unknown) {
  sent.length = 0;
  respond = body;
  const encoders = encodersOf(settings, { runtime: sdkRuntime(client), deadlineMs: 10_000 });
  const { analyze: run, requests } = analysisBy(
    (request) => reply({ key_phrases: [textOf(request).slice(0, 5)] }),
    encoders,
  );
  return run({ text, analyses }).then((found) => ({ found, requests }));
}

const label = (name: string, score: number) => ({ label: name, score });
const texts = (body: unknown) => v.parse(Batch, body).inputs.flat();
const long = Array.from({ length: 400 }, (_, index) => `Line ${index}.`)
  .join(' ')
  .slice(0, 5000);

describe('a sequence classification model in TEI', () => {
  it('receives a batch of lists, and returns the label with its score', async () => {
    const scores = [[label('LABEL_0', 0.9), label('Positive', 0.1)]];
    const { found, requests } = await analyze('It broke.', ['sentiment', 'key_phrases'], () => scores);
    expect(found.sentiment).toEqual({ label: 'negative', score: 0.9 });
    expect(sent).toEqual([{ inputs: [['It broke.']], truncate: false, raw_scores: false }]);
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests)).not.toContain('sentiment');
  });

  it('scores a long text by the mean of its parts, weighted by length, without a chat model', async () => {
    const { found, requests } = await analyze(long, ['language'], (body) =>
      texts(body).map((_, index) => [label('de', index % 2), label('en', 1 - (index % 2))]),
    );
    expect(found.language!.score).toBeGreaterThan(0.4);
    expect(found.language!.score).toBeLessThan(0.7);
    expect(texts(sent[0]).join(' ')).toBe(long);
    for (const text of texts(sent[0])) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(500);
    expect(requests).toEqual([]);
  });

  it('receives at most 32 texts in a batch', async () => {
    const emoji = '😀'.repeat(5000);
    const { found } = await analyze(emoji, ['sentiment'], (body) => texts(body).map(() => [label('neutral', 1)]));
    expect(found.sentiment).toEqual({ label: 'neutral', score: 1 });
    expect(sent.map((body) => texts(body).length)).toEqual([32, expect.any(Number)]);
  });

  it.each([
    ['an unknown label', [[label('joy', 1)]]],
    ['a score of 2', [[label('neutral', 2)]]],
    ['too few texts', []],
    ['too many texts', [[label('neutral', 1)], [label('neutral', 1)]]],
    ['the form of one text', [label('neutral', 1)]],
    ['no label', [[]]],
    ['a label twice', [[label('neutral', 0.6), label('neutral', 0.6)]]],
  ])('fails with MODEL_ERROR if it returns %s', async (_, body) => {
    await expect(analyze('x', ['sentiment'], () => body)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });
});

describe('a token classification model in the Hugging Face toolkit', () => {
  const group = (entity_group: string, start: number, end: number, score = 0.75) => ({
    entity_group,
    score,
    word: 'as its tokens are',
    start,
    end,
  });

  it('returns entities with their scores, at positions in code points', async () => {
    const text = '👍 Ada saw the 🇳🇴 Cup in Oslo.';
    const { found } = await analyze(text, ['entities'], () => [
      group('PER', 2, 5),
      group('MISC', 14, 20),
      group('LOC', 24, 28),
      group('XYZ', 0, 1),
    ]);
    expect(found.entities).toEqual([
      { text: '👍', type: 'OTHER', start: 0, end: 1, score: 0.75 },
      { text: 'Ada', type: 'PERSON', start: 2, end: 5, score: 0.75 },
      { text: Array.from(text).slice(14, 20).join(''), type: 'EVENT', start: 14, end: 20, score: 0.75 },
      { text: Array.from(text).slice(24, 28).join(''), type: 'LOCATION', start: 24, end: 28, score: 0.75 },
    ]);
    expect(v.parse(Tokens, sent[0]).inputs).toBe(text);
  });

  it('returns each entity once, in text order, without surrounding whitespace', async () => {
    const { found } = await analyze('Ada saw Oslo.', ['entities'], () => [
      group('LOC', 7, 12),
      group('PER', 0, 4, 0.5),
      group('PER', 0, 3, 0.9),
      group('PER', 3, 4),
    ]);
    expect(found).toMatchObject({
      entities: [
        { text: 'Ada', type: 'PERSON', start: 0, end: 3, score: 0.9 },
        { text: 'Oslo', type: 'LOCATION', start: 8, end: 12, score: 0.75 },
      ],
      unlocated: 1,
    });
    expect(found.entities).toHaveLength(2);
  });

  it('receives a long text in parts, and positions refer to the whole text', async () => {
    const { found } = await analyze(long, ['entities'], (body) => {
      const at = v.parse(Tokens, body).inputs.indexOf('Line');
      return [group('PRODUCT', at, at + 4)];
    });
    expect(found.entities!.length).toBe(sent.length);
    expect(sent.length).toBeGreaterThan(5);
    for (const { text, start, end } of found.entities!)
      expect([text, long.slice(start, end)]).toEqual(['Line', 'Line']);
  });

  it.each([
    ['a position after the text', [group('PER', 0, 9)]],
    ['an empty range', [group('PER', 1, 1)]],
    ['a position before the text', [group('PER', -1, 1)]],
    ['half a position', [group('PER', 0, 0.5)]],
    ['an invalid score', [group('PER', 0, 1, Number.NaN)]],
    ['single tokens', [{ entity: 'B-PER', score: 1, start: 0, end: 1 }]],
    ['an error', { error: 'CUDA out of memory' }],
  ])('fails with MODEL_ERROR if it returns %s', async (_, body) => {
    await expect(analyze('Ada', ['entities'], () => body)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  it.each([
    ['throttle', 'SERVICE_UNAVAILABLE'],
    ['cut', 'MODEL_ERROR'],
  ] as const)('with the error %s fails the analysis with %s', async (fault, code) => {
    faults.order({ target: 'sagemaker', fault, count: 1 });
    await expect(analyze('Ada', ['entities', 'key_phrases'], () => [])).rejects.toMatchObject({ code });
    faults.order({ target: 'sagemaker', fault: 'none', count: 1 });
  });
});
