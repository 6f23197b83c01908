import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { chat, type Person } from '#test/service/service.ts';
import { everyPage, settled } from './findings.ts';
import type { Stage } from './stage.ts';

const guestPages = new Set(['/register', '/login', '/confirm', '/forgot-password', '/reset-password']);
const kilobyte = 1000;
const maxBytes = (path: string) => (path === '/login' ? 150 : 200) * kilobyte;

/** What a first load of a page is measured by. */
interface Load {
  readonly path: string;
  /** As they came, compressed; without the API's responses. */
  readonly bytes: number;
  readonly files: number;
  readonly uncompressed: readonly string[];
}

const measure = `(() => {
  const entries = performance.getEntries().filter(({ entryType, name }) =>
    (entryType === 'navigation' || entryType === 'resource') && !/\\/(api|_local)\\//.test(name));
  return {
    bytes: entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    files: entries.length,
    uncompressed: entries
      .filter(({ encodedBodySize, decodedBodySize }) => decodedBodySize > 2000 && encodedBodySize === decodedBodySize)
      .map(({ name }) => name),
  };
})()`;

async function load(page: Page, path: string): Promise<Load> {
  await page.goto(path);
  await settled(page);
  await page.waitForLoadState('networkidle');
  return { path, ...(await page.evaluate<Omit<Load, 'path'>>(measure)) };
}

export function boundTests(stage: () => Stage): void {
  const loads: Load[] = [];

  beforeAll(async () => {
    const { service, visit } = stage();
    const person: Person = await service.person({ planRank: 2 });
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    for (const path of everyPage) {
      const page = await visit(guestPages.has(path) ? undefined : person);
      loads.push(await load(page, path));
      await page.context().close();
    }
    const rows = loads.map(({ path, bytes, files }) => `${path}, ${Math.round(bytes / kilobyte)} KB, ${files} files`);
    console.log(rows.join('\n'));
  }, 240_000);

  test('loads at most 200 KB at first, the sign-in page 150 KB', () => {
    expect(loads).toHaveLength(everyPage.length);
    expect(loads.every(({ files }) => files > 5)).toBe(true);
    expect(loads.filter(({ path, bytes }) => bytes > maxBytes(path))).toEqual([]);
  });

  test('comes compressed', () => {
    expect(loads.flatMap(({ uncompressed }) => uncompressed)).toEqual([]);
  });
}
