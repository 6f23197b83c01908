import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { crowdedFolders } from '../../../bin/imports/crowded-folders.ts';

const root = mkdtempSync(join(tmpdir(), 'crowded-'));
afterAll(() => rmSync(root, { recursive: true }));

function fill(folder: string, files: number, extension: string): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (let file = 0; file < files; file += 1) writeFileSync(join(root, folder, `file-${file}${extension}`), '');
}

test('a folder with more than twelve files of code beside its folders is named, however deep; other files do not count', () => {
  fill('twelve', 12, '.ts');
  fill('twelve/inner', 12, '.tsx');
  fill('pictures', 40, '.svg');
  fill('deep/in/thirteen', 13, '.tsx');
  fill('mixed', 7, '.ts');
  fill('mixed', 7, '.tsx');
  const crowded = crowdedFolders([root]);
  expect(crowded.toSorted()).toEqual([`${join(root, 'deep/in/thirteen')} (13)`, `${join(root, 'mixed')} (14)`]);
});
