import type { Plugin } from 'vite';
import { guideFiles, loadGuides } from './guides.ts';
import { publicContent } from './public/files.ts';
import { documentFile, loadReference } from './reference.ts';

const prefix = 'virtual:';
const json = (value: unknown): string => `export default ${JSON.stringify(value)};`;

/**
 * Returns the code of each module by name: an index with a loader for each page, so that each page is a separate chunk.
 */
function modules(): ReadonlyMap<string, () => string> {
  const loaders = (kind: string, names: readonly string[]): string =>
    `export const load = {${names.map((name) => `${JSON.stringify(name)}: () => import('${prefix}${kind}/${name}')`).join(',')}};`;
  const guides = loadGuides();
  const { tags, operations } = loadReference();
  const entries = guides.map(({ slug, title, lead }) => ({ slug, title, lead }));
  const names = operations.map(({ id, tag, method, path, summary }) => ({ id, tag, method, path, summary }));
  const index = (values: object, kind: string, pages: readonly string[]): string =>
    [
      ...Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`),
      loaders(kind, pages),
    ].join('\n');
  return new Map([
    [
      'guides',
      () =>
        index(
          { entries },
          'guides',
          guides.map(({ slug }) => slug),
        ),
    ],
    ['guide-search', () => json(guides.flatMap(({ search }) => search))],
    ...guides.map(({ slug, blocks }): [string, () => string] => [`guides/${slug}`, () => json({ blocks })]),
    [
      'reference',
      () =>
        index(
          { tags, entries: names },
          'reference',
          names.map(({ id }) => id),
        ),
    ],
    ...operations.map((one): [string, () => string] => [`reference/${one.id}`, () => json(one)]),
  ]);
}

/**
 * Generates modules for guides and API reference from docs at build time (dashboard/src/content.d.ts), so that the
 * browser loads neither a Markdown parser nor the OpenAPI document. Also creates the public files.
 */
export function content(): Plugin {
  let known: ReturnType<typeof modules> | undefined;
  return {
    name: 'content',
    buildStart() {
      known = undefined;
      for (const file of [...guideFiles, documentFile]) this.addWatchFile(file);
    },
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return undefined;
      known ??= modules();
      return known.get(id.slice(prefix.length + 1))?.();
    },
    generateBundle() {
      for (const [path, source] of publicContent(new Date()))
        this.emitFile({ type: 'asset', fileName: path.slice(1), source });
    },
  };
}
