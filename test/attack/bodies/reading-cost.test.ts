import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { AnalysisRequest } from '#contract/analysis/analysis.ts';
import { AnthropicRequest } from '#contract/inference/anthropic.ts';
import { OpenAiChatRequest } from '#contract/inference/openai.ts';
import { ChatRequest, CompletionRequest, EmbeddingsRequest } from '#contract/inference/requests.ts';
import { TranslationRequest } from '#contract/inference/translation.ts';
import { limits } from '#contract/shared/limits.ts';
import { cutAtStop } from '#domain/inference/model-stream.ts';
import { claimOf } from '#domain/shared/idempotency.ts';
import { jsonBody } from '#middleware/json-body.ts';
import { processorMs } from '#test/attacks/hostile-texts.ts';

/** Multiple of the time of `JSON.parse` for the same body. */
const maxRatio = 20;

const repeated = <T>(item: T, count: number): T[] => Array.from({ length: count }, () => item);
const conversation = (messages: unknown[]): object => ({ model: 'svc-1', messages });
const anthropic = (content: unknown[]): object => ({ ...conversation([{ role: 'user', content }]), max_tokens: 9 });
const user = { role: 'user', content: 'x' };
const withFunctions = (functions: unknown[]): object => ({ ...conversation([user]), functions });
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
const call = { id: 'a', function: { name: 'a', arguments: '' } };

/** Bodies near the limit that maximize the work of a schema, or of the search for markers and keys. */
const worst: [string, v.GenericSchema, object][] = [
  [
    'as many messages as may be',
    ChatRequest,
    conversation(repeated({ role: 'assistant', content: 'x'.repeat(400) }, 2048)),
  ],
  ['far more messages', ChatRequest, conversation(repeated({ role: 'assistant', content: '' }, 25_000))],
  ['messages of no role', ChatRequest, conversation(repeated({ role: 'nobody', content: 'x' }, 25_000))],
  [
    'functions with deep parameters',
    ChatRequest,
    withFunctions(repeated({ name: 'a', parameters: { a: repeated(nested(20), 60) } }, 128)),
  ],
  ['far more functions', ChatRequest, withFunctions(repeated({ name: 'a' }, 70_000))],
  ['wide parameters', ChatRequest, withFunctions([{ name: 'a', parameters: { a: repeated(1, 500_000) } }])],
  [
    'parameters of many keys',
    ChatRequest,
    withFunctions([
      { name: 'a', parameters: Object.fromEntries(repeated(1, 90_000).map((_, at) => [at.toString(36), 1])) },
    ]),
  ],
  [
    'text in many parts',
    OpenAiChatRequest,
    conversation([{ role: 'user', content: repeated({ type: 'text', text: '' }, 35_000) }]),
  ],
  ['parts that are none', OpenAiChatRequest, conversation([{ role: 'user', content: repeated({}, 330_000) }])],
  ['many tool calls', OpenAiChatRequest, conversation([{ role: 'assistant', tool_calls: repeated(call, 17_000) }])],
  ['many blocks', AnthropicRequest, anthropic(repeated({ type: 'text', text: '' }, 35_000))],
  ['blocks that are none', AnthropicRequest, anthropic(repeated({}, 330_000))],
  [
    'many tool results',
    AnthropicRequest,
    anthropic(repeated({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '' }] }, 11_000)),
  ],
  ['far more stop sequences', CompletionRequest, { model: 'svc-1', prompt: 'x', stop: repeated('x', 250_000) }],
  ['long stop sequences', CompletionRequest, { model: 'svc-1', prompt: 'x', stop: repeated('😀'.repeat(60_000), 4) }],
  ['far more texts to embed', EmbeddingsRequest, { model: 'svc-embed', input: repeated('x', 250_000) }],
  ['empty texts to embed', EmbeddingsRequest, { model: 'svc-embed', input: repeated('', 330_000) }],
  [
    'unknown fields',
    ChatRequest,
    { ...conversation([user]), ...Object.fromEntries(repeated(1, 80_000).map((_, at) => [`k${at}`, 1])) },
  ],
  ['unknown lists', ChatRequest, { ...conversation([user]), more: repeated([], 340_000) }],
  [
    'a long text to translate',
    TranslationRequest,
    { text: 'a😀'.repeat(200_000), sourceLanguage: 'en', targetLanguage: 'fr' },
  ],
  ['a far too long text to analyse', AnalysisRequest, { text: 'a😀'.repeat(200_000), analyses: ['pii'] }],
  ['far more analyses', AnalysisRequest, { text: 'x', analyses: repeated('pii', 180_000) }],
  [
    'far more labels',
    AnalysisRequest,
    { text: 'x', analyses: ['categories'], labels: Array.from({ length: 120_000 }, (_, at) => `${at}`) },
  ],
  [
    'far more strings before a long text',
    ChatRequest,
    { more: repeated('', 300_000), ...conversation([{ ...user, content: 'x'.repeat(100_000) }]) },
  ],
  ['escaped quotes', CompletionRequest, { model: 'svc-1', prompt: '\\"'.repeat(250_000) }],
];

/**
 * The shortest of the tries, repeated until no try is shorter or one is below the bound, because other processes and the
 * compiler use CPU time too.
 */
async function minProcessorMs(work: () => unknown, bound = 0): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let inVain = 0, tries = 0; min >= bound && inVain < 5 && tries < 25; tries++) {
    const took = await processorMs(work);
    inVain = took < min * 0.9 ? 0 : inVain + 1;
    min = Math.min(min, took);
  }
  return min;
}

const eventOf = (body: string, isBase64Encoded: boolean) => ({ body, isBase64Encoded }) as APIGatewayProxyEvent;

it.each(worst)('%s take at most a time proportional to parsing the body', async (_, schema, body) => {
  const text = JSON.stringify(body);
  expect(Buffer.byteLength(text)).toBeLessThan(limits.bodyBytes * 2.2);
  const bytes = Buffer.from(text).toString('base64');
  const parsing = await minProcessorMs(() => JSON.parse(text));
  // Ignore times below the timer's resolution.
  const bound = maxRatio * Math.max(parsing, 0.5);
  const reading = await minProcessorMs(
    () => v.safeParse(schema, jsonBody(eventOf(text, false)).value, { abortEarly: true }),
    bound,
  );
  const decoding = await minProcessorMs(() => jsonBody(eventOf(bytes, true)), bound);
  const claiming = await minProcessorMs(
    () => claimOf({ accountId: 1, routeId: 'r', key: 'k', requestId: 'r', input: body }),
    bound,
  );
  expect({ parsing, reading, isBounded: reading < bound }).toMatchObject({ isBounded: true });
  expect({ parsing, decoding, isBounded: decoding < bound }).toMatchObject({ isBounded: true });
  expect({ parsing, claiming, isBounded: claiming < bound }).toMatchObject({ isBounded: true });
});

it('the search for stop sequences takes time in proportion to the text, whatever the sequences', async () => {
  const text = 'a'.repeat(200_000);
  const short = repeated('b', limits.stopSequences);
  const long = repeated(`${'a'.repeat(limits.stopSequenceCharacters - 1)}b`, limits.stopSequences);
  expect(await minProcessorMs(() => cutAtStop(text, long))).toBeLessThan(
    10 * (await minProcessorMs(() => cutAtStop(text, short))),
  );
});
