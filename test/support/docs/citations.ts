import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Where a text of the repository points to another place of it. */
export interface Citation {
  /** File and line. */
  readonly at: string;
  readonly path: string;
  /** Of a heading, as GitHub makes it; undefined for the whole file. */
  readonly anchor: string | undefined;
}

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
const isText = (path: string) => /\.(?:ts|tsx|mjs|md|grit|ya?ml)$/.test(path) && existsSync(path);
const lines = tracked.filter(isText).flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((text, index) => ({ path, at: `${path}:${index + 1}`, text })),
);
const pages = lines.filter(({ path }) => path.endsWith('.md'));

/** A page of `docs`, with or without the anchor of a heading, in any comment or text. */
const fromTexts: Citation[] = lines.flatMap(({ at, text }) =>
  Array.from(text.matchAll(/(?<![\w./-])(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g), ([, path = '', anchor]) => ({
    at,
    path,
    anchor,
  })),
);

/** Links of Markdown to files of the repository, and to headings of their own page. */
const fromLinks: Citation[] = pages.flatMap(({ path: page, at, text }) =>
  Array.from(text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([\w-]+))?\)/g), ([, target = '', anchor]) => ({
    at,
    path: target === '' ? page : normalize(join(dirname(page), target)),
    anchor,
  })),
);

/** Source files that a page names in code marks: `functions/domain/inference/translation/words.ts`. */
const fromNames: Citation[] = pages.flatMap(({ at, text }) =>
  Array.from(
    text.matchAll(/`((?:functions|lib|local|test|bin|bench|dashboard|docs)\/[\w./-]+\.(?:tsx?|md|json|svg))`/g),
    ([, path = '']) => ({ at, path, anchor: undefined }),
  ),
);

/** Citations by a section's number or title alone, which no reader can follow. */
export const unresolvable = lines
  .filter(
    ({ path, text }) =>
      path.endsWith('.ts') && /\b(?:design\s+section|spec\s+["']|reference:\s+\w+\s+section)/.test(text),
  )
  .map(({ at }) => at);

export const citations: readonly Citation[] = [...fromTexts, ...fromLinks, ...fromNames];

/** Commands that pages and comments name for a reader to run. */
export const commands = lines.flatMap(({ at, text }) =>
  Array.from(text.matchAll(/\bnpm run ([\w:-]+)|\bnode (bin\/[\w-]+\.ts)|\bnpx vitest run ([\w./-]+)/g), (match) => ({
    at,
    script: match[1],
    file: match[2] ?? match[3],
  })),
);

const headings = new Map<string, ReadonlySet<string>>();

/** The headings of a page, as GitHub makes anchors of them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const known = headings.get(page);
  if (known) return known;
  const found = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  const anchors = new Set(Array.from(found, ([, title = '']) => anchorOf(title)));
  headings.set(page, anchors);
  return anchors;
}

const anchorOf = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
