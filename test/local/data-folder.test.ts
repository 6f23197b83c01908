import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDamaged, openDataFolder } from '#local/shared/data-folder.ts';
import { Problem } from '#local/shared/problems.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

const page = 4096;
let folder: string;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(() => removeFolder(folder));

/** A database file of about 60 pages, with an index. */
async function databaseFile(damage: (bytes: Buffer) => Buffer): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.sqlite`);
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE items (pk TEXT, content TEXT); CREATE INDEX items_by_pk ON items (pk)');
  const insert = database.prepare('INSERT INTO items VALUES (?, ?)');
  for (let row = 0; row < 200; row++) insert.run(`account ${row}`, 'x'.repeat(1000));
  database.close();
  await writeFile(file, damage(await readFile(file)));
  return file;
}

describe('the check of a database', () => {
  it.each<[string, boolean, (bytes: Buffer) => Buffer]>([
    ['without damage', false, (bytes) => bytes],
    ['that is empty', false, () => Buffer.of()],
    ['whose head is overwritten', true, (bytes) => bytes.fill('damaged ', 0, 100)],
    ['one of whose pages is overwritten', true, (bytes) => bytes.fill(0xa5, 4 * page, 5 * page)],
    ['whose last pages are overwritten', true, (bytes) => bytes.fill(0xa5, bytes.length - 8 * page)],
    ['that is cut off', true, (bytes) => bytes.subarray(0, bytes.length - 8 * page)],
  ])('reports a file %s: %s', async (_what, damaged, damage) => {
    expect(isDamaged(await databaseFile(damage))).toBe(damaged);
  });

  it('reports no damage of a missing file', () => {
    expect(isDamaged(join(folder, 'missing.sqlite'))).toBe(false);
  });
});

it('a data folder that is a file, or below one, is refused in one sentence', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  for (const data of [file, join(file, 'below')])
    await expect(openDataFolder(data, () => undefined)).rejects.toThrow(
      new Problem(`The data folder ${data} is not a directory, or lies under a file. Choose another with --data DIR.`),
    );
});
