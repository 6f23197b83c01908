import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#local/sagemaker/engine.ts';
import { countedCost, maxTokens, messages, output, paths, perToken, prompt } from '#test/models/stream-endings.ts';
import { type ScriptedService, startScriptedService, tokensOf } from '#test/service/scripted-service.ts';

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService({ families: { 'svc-instruct': 'lmi' } });
});
afterAll(() => service.close());

/** The model responds with a whole reply as text. */
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

describe.each(paths.completions)('a whole completion of %s', (path) => {
  it.each(wholeUsages)('with %s is charged exactly', async (_, usageText, expected) => {
    const choice = JSON.stringify([{ text: output, finish_reason: 'stop' }]);
    service.model.becomes(replies(withUsage(usageText, `"choices":${choice}`)));
    let status = 0;
    const cost = await service.charged(async () => {
      ({ status } = await service.plain(path, { model: 'svc-1', prompt, max_tokens: maxTokens }));
    });
    const tokens = expected === 'ours' ? await countedCost(output) : expected * perToken;
    expect([status, cost]).toEqual([200, tokens]);
  });

  it('is charged for no more output than was requested, however long it is', async () => {
    const choices = [{ text: `${output} `.repeat(100), finish_reason: 'stop' }];
    service.model.becomes(replies(JSON.stringify({ choices })));
    const work = () => service.plain(path, { model: 'svc-1', prompt, max_tokens: maxTokens });
    expect(await service.charged(work)).toBe(((await tokensOf(prompt)) + maxTokens) * perToken);
  });
});

describe.each(paths.chats)('a whole chat of %s', (path) => {
  it.each(wholeUsages)('with %s costs 1 credit', async (_, usageText) => {
    const choice = JSON.stringify([{ message: { content: output }, finish_reason: 'stop' }]);
    service.model.becomes(replies(withUsage(usageText, `"choices":${choice}`)));
    let status = 0;
    const cost = await service.charged(async () => {
      ({ status } = await service.plain(path, { model: 'svc-1', messages, max_tokens: maxTokens }));
    });
    expect([status, cost]).toEqual([200, 1_000_000]);
  });
});

describe.each(paths.embeddings)('embeddings of %s', (path) => {
  it.each(wholeUsages)('with %s are charged exactly', async (_, usageText, expected) => {
    const bare = usageText?.replace(/,"completion_tokens":[^}]*/, '');
    service.model.becomes(replies(withUsage(bare, '"data":[{"index":0,"embedding":[0.5,0.25]}]')));
    let status = 0;
    const cost = await service.charged(async () => {
      ({ status } = await service.plain(path, { model: 'svc-embed', input: prompt }));
    });
    const exact = expected === 'ours' ? await tokensOf(prompt) : 20;
    expect([status, cost]).toEqual([200, exact * 100]);
  });
});
