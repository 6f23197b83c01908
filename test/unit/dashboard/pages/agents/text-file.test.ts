import { describe, expect, it } from 'vitest';
import { formatBytes } from '../../../../../dashboard/src/lib/format.ts';
import { readTextFile } from '../../../../../dashboard/src/pages/agents/text-file.ts';

const mebibyte = 1024 * 1024;

describe('a file for a document', () => {
  it.each(['notes.txt', 'notes.md', 'NOTES.MARKDOWN'])('is read as UTF-8, with its name: %s', async (name) => {
    expect(await readTextFile(new File(['Grüße 👍'], name))).toEqual({ name, text: 'Grüße 👍' });
  });

  it('may have as many bytes as the API takes, and no more', async () => {
    expect(await readTextFile(new File([new Uint8Array(mebibyte).fill(97)], 'a.txt'))).toHaveProperty('text');
    const larger = new File([new Uint8Array(mebibyte + 1).fill(97)], 'a.txt');
    expect(await readTextFile(larger)).toEqual({ error: 'The file is larger than 1 MiB' });
  });

  it('is refused where it is no text', async () => {
    expect(await readTextFile(new File([new Uint8Array([0xc3, 0x28])], 'a.txt'))).toHaveProperty('error');
    expect(await readTextFile(new File(['%PDF'], 'a.pdf'))).toEqual({ error: 'Choose a .txt or .md file' });
  });

  it('gives a name of at most as many code points as a document may have', async () => {
    const read = await readTextFile(new File(['text'], `${'😀'.repeat(300)}.txt`));
    expect('name' in read && Array.from(read.name).length).toBe(200);
  });

  it.each([
    [999, '999 bytes'],
    [1536, '1.5 KiB'],
    [mebibyte, '1 MiB'],
  ])('has its size in words: %i bytes', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });
});
