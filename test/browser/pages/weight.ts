import type { Page } from 'playwright-core';

/** The compressed transfer size of a page's files, without API responses. */
export interface Weight {
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

export const weightOf = (page: Page): Promise<Weight> => page.evaluate<Weight>(measure);
