import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';
import { type ScriptedService, startScriptedService } from '../../service/scripted-service.ts';
import { flood, startHostileRuntime } from './hostile-runtime.ts';

export const prompt = 'Say it';
export const chat = { model: 'svc-1', messages: [{ role: 'user', content: prompt }], max_tokens: 50 };
export const completion = { model: 'svc-1', prompt, max_tokens: 50 };
export const embeddings = { model: 'svc-embed', input: ['one', 'two'] };

export const whole = [
  ['a chat', '/v1/chat/completions', chat],
  ["a chat of OpenAI's format", '/openai/v1/chat/completions', chat],
  ["a chat of Anthropic's format", '/anthropic/v1/messages', chat],
  ['a completion', '/v1/completions', completion],
  ['embeddings', '/v1/embeddings', embeddings],
] as const;

export const streamed = [
  ['a chat', '/v1/chat/completions', { ...chat, stream: true }],
  ["a chat of OpenAI's format", '/openai/v1/chat/completions', { ...chat, stream: true }],
  ["a chat of Anthropic's format", '/anthropic/v1/messages', { ...chat, stream: true }],
  ['a completion', '/v1/completions', { ...completion, stream: true }],
  ["a completion of OpenAI's format", '/openai/v1/completions', { ...completion, stream: true }],
] as const;

const json = { 'content-type': 'application/json' };
export const begun = (head: object, text = '', status = 200) =>
  function begin(res: ServerResponse) {
    res.writeHead(status, { ...json, ...head });
    if (text) res.write(text);
    return res;
  };
export const wholeReply = JSON.stringify({
  choices: [{ text: 'x', message: { content: 'x' }, finish_reason: 'stop' }],
});

/** A message of an event stream that declares this length, with a valid checksum. */
function declared(length: number): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(length, 0);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  return prelude;
}
export const framed = (length: number) => (res: ServerResponse) =>
  flood(
    begun({ 'content-type': 'application/vnd.amazon.eventstream' }, declared(length) as never)(res),
    Buffer.alloc(65_536),
  );

/** The service with a scripted SageMaker runtime, and the cost of calls in credits and memory. */
export function useHostileModel() {
  let model: Awaited<ReturnType<typeof startHostileRuntime>>;
  let trap: Awaited<ReturnType<typeof startHostileRuntime>>;
  let service: ScriptedService;
  beforeAll(async () => {
    model = await startHostileRuntime();
    trap = await startHostileRuntime();
    // Long, so that limits of bytes are reached before it, even on a busy machine.
    service = await startScriptedService({ families: {}, url: model.url, deadlineMs: 20_000 });
    // The first failure loads the SDK, whose memory must not count.
    model.becomes((res) => begun({}, '', 503)(res).end());
    await (await service.open('/v1/chat/completions', chat)).text();
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([model.close(), trap.close()]);
  });

  /** The statuses of concurrent calls, their cost, and the memory growth of the process in MB. */
  async function resultsOf(path: string, body: object, calls: number) {
    const statuses: number[] = [];
    const texts: string[] = [];
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const cost = await service.charged(() =>
      Promise.all(
        Array.from({ length: calls }, async () => {
          const reply = await service.open(path, body);
          statuses.push(reply.status);
          texts.push(await reply.text());
        }),
      ),
    );
    clearInterval(watch);
    return { statuses: [...new Set(statuses)], texts, cost, grownMb: (peak - before) / 1024 / 1024 };
  }

  return {
    get model() {
      return model;
    },
    get trap() {
      return trap;
    },
    get service() {
      return service;
    },
    resultsOf,
  };
}
