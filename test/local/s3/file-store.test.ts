import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFileStore } from '#local/s3/file-store.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(() => removeFolder(folder));

describe('objects of the bucket', () => {
  it('are deleted by a moved clock: texts after 31 days, others after two, what is being written never', async () => {
    const start = Date.now();
    let now = start;
    const store = openFileStore(folder, { now: () => now });
    const keep = async (key: string) => store.keep(key, 'text/plain', await store.draft(pieces('x'), 1));
    const kept = async (...keys: string[]) => (await Promise.all(keys.map(store.find))).map((found) => found?.key);
    await keep('uploads/1');
    await keep('texts/1');
    const draft = await store.draft(pieces('y'), 1);
    for (const [days, expected] of [
      [1.9, ['uploads/1', 'texts/1']],
      [2.1, [undefined, 'texts/1']],
      [30.9, [undefined, 'texts/1']],
      [31.1, [undefined, undefined]],
    ] as const) {
      now = start + days * 86_400_000;
      await store.expire();
      expect(await kept('uploads/1', 'texts/1')).toEqual(expected);
    }
    await store.keep('uploads/2', 'text/plain', draft);
    await store.expire();
    expect(await kept('uploads/2')).toEqual(['uploads/2']);
  });
});

async function* pieces(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
