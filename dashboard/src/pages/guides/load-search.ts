import guides from 'virtual:guide-search';
import { entries } from 'virtual:reference';
import type { SearchEntry } from './guide.ts';

/** Search index: sections of guides, and operations. */
export const searchEntries: readonly SearchEntry[] = [
  ...guides,
  ...entries.map(({ id, method, path, summary }) => ({
    href: `/docs#${id}`,
    guide: 'API reference',
    title: summary,
    text: `${method} ${path}`,
  })),
];
