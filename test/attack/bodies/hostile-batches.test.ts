import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { hostilePieces, hostileText, randomOf } from '#test/attacks/hostile-texts.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { atLength, patience, seed, someOf } from '#test/many.ts';
import { processorMsOf } from '#test/process-usage.ts';
import { killCommands, type LocalCommand, runLocal } from '#test/service/local-command.ts';

/**
 * Measures the whole service in one process, as deployed, because the test's own process runs rewritten modules. An idle machine
 * needs 30 to 370 ms by kind. Next to other tests the same work takes up to twice as long, because they share CPU caches.
 */
const maxRefusalMs = atLength(750, 450);

const maxBodyBytes = 5 * 2 ** 20;
const maxTextTokens = 8192;
const overlongText = 'word '.repeat(9000);

let folder: string;
let service: LocalCommand;
let origin: string;
let key: string;

beforeAll(async () => {
  folder = await testFolder();
  service = runLocal(['--port', '0', '--data', folder]);
  origin = await service.ready;
  const status = (await (await fetch(`${origin}/_local/status`)).json()) as { demo: { apiKey: string } };
  key = status.demo.apiKey;
  await embed(batch([overlongText]));
});
afterAll(async () => {
  await killCommands();
  await removeFolder(folder);
});

const batch = (input: readonly string[]): string => JSON.stringify({ model: 'svc-embed', input });

async function embed(body: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${origin}/v1/embeddings`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** 99 texts of a kind just within the limit, as large as a body allows, and one that is too long. */
async function crafted(kind: string): Promise<string> {
  const random = randomOf(seed);
  const texts = Array.from({ length: 99 }, () => hostileText(kind, 52_000, random));
  const tokens = Math.max(...(await Promise.all(texts.map((text) => bpeTokenizer.count(text)))));
  const body = (share: number) =>
    batch([...texts.map((text) => text.slice(0, text.length * share).toWellFormed()), overlongText]);
  const fitting = Math.min(1, (0.98 * maxTextTokens) / tokens);
  return body(Math.min(fitting, (fitting * 0.99 * maxBodyBytes) / Buffer.byteLength(body(fitting))));
}

/** The minimum of several tries, because each includes other work of the process. */
async function processorMs(body: string): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const before = await processorMsOf(service.pid);
    expect(await embed(body)).toBe(400);
    taken.push((await processorMsOf(service.pid)) - before);
  }
  return Math.min(...taken);
}

describe('a batch of 100 texts to embed with the last one over the limit', () => {
  it.each(someOf([...Object.keys(hostilePieces), 'all kinds'], 6, seed))(
    'is refused within a bounded CPU time: %s',
    async (kind) => {
      const body = await crafted(kind);
      const ms = await processorMs(body);
      expect(ms, `${kind}, ${Buffer.byteLength(body)} bytes (SEED=${seed})`).toBeLessThan(maxRefusalMs);
    },
    patience,
  );
});
