import { describe, expect, it } from 'vitest';
import type { Engine } from '#local/sagemaker/engine.ts';
import { countedCost, maxTokens, messages, output, paths, perToken, prompt } from '#test/models/stream-endings.ts';
import { useScriptedService, tokensOf } from '#test/service/scripted-service.ts';

const service = useScriptedService({ families: { 'svc-instruct': 'lmi' } });

/** The model returns a whole reply as text. */
const replies = (text: string): Engine => ({
  invoke: async () => ({ kind: 'stream', contentType: 'application/json', chunks: once(text) }),
});

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const wholeUsages: [string, string | undefined, number | 'ours'][] = [
  ['no usage', undefined, 'ours'],
  ['usage of null', 'null', 'ours'],
  ['usage of 0', '{"prompt_tokens":0,"completion_tokens":0}', 'ours'],
  ['usage', '{"prompt_tokens":20,"completion_tokens":9}', 29],
  ['negative usage', '{"prompt_tokens":-20,"completion_tokens":-9}', 'ours'],
  ['usage of 9e15', '{"prompt_tokens":9e15,"completion_tokens":9e15}', 'ours'],
  ['usage of 1e300', '{"prompt_tokens":1e300,"completion_tokens":9}', 'ours'],
  ['usage of 1e400', '{"prompt_tokens":1e400,"completion_tokens":9}', 'ours'],
];
const withUsage = (usageText: string | undefined, rest: string): string =>
  `{${rest}${usageText === undefined ? '' : `,"usage":${usageText}`}}`;

const choices = (choice: object) => `"choices":${JSON.stringify([{ ...choice, finish_reason: 'stop' }])}`;
const vectors = '"data":[{"index":0,"embedding":[0.5,0.25]}]';

describe.each(paths.completions)('a whole completion of %s', (path) => {
  const body = { model: 'svc-1', prompt, max_tokens: maxTokens };

  it.each(wholeUsages)('with %s is charged exactly', async (_, usageText, expected) => {
    service.model.becomes(replies(withUsage(usageText, choices({ text: output }))));
    const cost = expected === 'ours' ? await countedCost(output) : expected * perToken;
    expect(await service.priced(path, body)).toMatchObject({ status: 200, cost });
  });

  it('is charged for at most the requested output, however long the response is', async () => {
    service.model.becomes(replies(withUsage(undefined, choices({ text: `${output} `.repeat(100) }))));
    const cost = ((await tokensOf(prompt)) + maxTokens) * perToken;
    expect(await service.priced(path, body)).toMatchObject({ status: 200, cost });
  });
});

describe.each(paths.chats)('a whole chat of %s', (path) => {
  it.each(wholeUsages)('with %s costs 1 credit', async (_, usageText) => {
    service.model.becomes(replies(withUsage(usageText, choices({ message: { content: output } }))));
    const priced = await service.priced(path, { model: 'svc-1', messages, max_tokens: maxTokens });
    expect(priced).toMatchObject({ status: 200, cost: 1_000_000 });
  });
});

describe.each(paths.embeddings)('embeddings of %s', (path) => {
  it.each(wholeUsages)('with %s are charged exactly', async (_, usageText, expected) => {
    service.model.becomes(replies(withUsage(usageText?.replace(/,"completion_tokens":[^}]*/, ''), vectors)));
    const tokens = expected === 'ours' ? await tokensOf(prompt) : 20;
    const priced = await service.priced(path, { model: 'svc-embed', input: prompt });
    expect(priced).toMatchObject({ status: 200, cost: tokens * 100 });
  });
});
