import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { type Plugin, runnerImport } from 'vite';
import { compiledTexts, macros } from '../locales/vite-plugin.ts';
import { guideFiles, loadGuides } from './guides.ts';
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
    async generateBundle() {
      for (const [path, source] of await publicContent(new Date()))
        this.emitFile({ type: 'asset', fileName: path.slice(1), source });
    },
  };
}

/**
 * The public files in English. Their modules share texts with the page, so they need the macros of its texts.
 *
 * @public
 */
export async function publicContent(now: Date): Promise<ReadonlyMap<string, string | Buffer>> {
  const { i18n } = await import('@lingui/core');
  i18n.loadAndActivate({ locale: 'en', messages: (await compiledTexts()).get('en') ?? {} });
  const file = fileURLToPath(new URL('public/files.ts', import.meta.url));
  const { module } = await runnerImport<typeof import('./public/files.ts')>(file, {
    configFile: false,
    plugins: [macros()],
  });
  return module.publicContent(now);
}

const styles = new URL('../../node_modules/@mantine/core/styles/', import.meta.url);

/**
 * Adds the styles of each Mantine component to the chunk of the component. Loading the styles of all components would
 * add a sixth to the first load. A component imports its class names last, so the styles of its parts precede its own.
 */
export function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    apply: 'build',
    transform(code, id) {
      const [, name] = /@mantine\/core\/esm\/.*\/([A-Za-z]+)\.module\.mjs$/.exec(id) ?? [];
      if (name === undefined || !existsSync(fileURLToPath(new URL(`${name}.css`, styles)))) return undefined;
      return { code: `import '@mantine/core/styles/${name}.css';\n${code}`, map: null };
    },
  };
}

/** Properties of a route that the dashboard reads. It uses the schemas of requests only as types. */
const kept: ReadonlySet<string | undefined> = new Set([
  'id',
  'method',
  'path',
  'credential',
  'output',
  'access',
  'namesOrganization',
]);

/** A call `defineRoute({ … })` in the syntax tree. A spread has no key. */
const Declaration = v.object({
  type: v.literal('CallExpression'),
  callee: v.object({ name: v.literal('defineRoute') }),
  arguments: v.tuple([
    v.object({
      properties: v.array(
        v.object({
          type: v.string(),
          start: v.number(),
          end: v.number(),
          key: v.optional(v.object({ name: v.optional(v.string()) })),
        }),
      ),
    }),
  ]),
});
type Declaration = v.InferOutput<typeof Declaration>;

/** Removes the properties of routes that only the service reads, so that their schemas are not loaded. */
export function routeFacts(): Plugin {
  return {
    name: 'route-facts',
    apply: 'build',
    transform(code, id) {
      if (!/\/functions\/contract\/routes\/[\w-]+\.ts$/.test(id)) return undefined;
      const dropped = declarationsIn(this.parse(code)).flatMap(({ arguments: [{ properties }] }) =>
        properties.filter(({ type, key }) => type === 'Property' && !kept.has(key?.name)),
      );
      const text = dropped.reduceRight((rest, { start, end }) => {
        const comma = /^\s*,/.exec(rest.slice(end))?.[0].length ?? 0;
        return rest.slice(0, start) + rest.slice(end + comma);
      }, code);
      return { code: text, map: null, moduleSideEffects: false };
    },
  };
}

/** The declarations below a node, in their order. */
function declarationsIn(node: unknown): Declaration[] {
  if (typeof node !== 'object' || node === null) return [];
  if (v.is(Declaration, node)) return [node];
  return Object.values(node).flatMap(declarationsIn);
}
