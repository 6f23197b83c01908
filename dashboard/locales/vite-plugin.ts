import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformAsync } from '@babel/core';
import macroPlugin from '@lingui/babel-plugin-lingui-macro';
import { createCompiledCatalog, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import type { Messages } from '@lingui/core';
import type { OutputBundle, OutputChunk } from 'rolldown';
import type { Plugin } from 'vite';
import { hashedAssets } from '#contract/dashboard-config.ts';

const configPath = fileURLToPath(new URL('../lingui.config.ts', import.meta.url));

/**
 * Transforms the macros in the source. A build keeps only the ids of their messages. Lingui's native transform is not
 * used, because npm skips its binary before Node.js 22.
 */
export function macros(): Plugin {
  const linguiConfig = getConfig({ configPath });
  return {
    name: 'macros',
    enforce: 'pre',
    async transform(code, id) {
      const [file = ''] = id.split('?');
      if (!/\.tsx?$/.test(file) || !/@lingui\/(?:core|react)\/macro/.test(code)) return undefined;
      const result = await transformAsync(code, {
        filename: file,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: file.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'] },
        plugins: [[macroPlugin, { linguiConfig }]],
      });
      return { code: result?.code ?? code, map: result?.map ?? null };
    },
  };
}

/** The compiled messages of the page in each language. What is not translated yet is English. */
export async function compiledTexts(): Promise<ReadonlyMap<string, Messages>> {
  const config = getConfig({ configPath });
  const catalogues = await getCatalogs(config);
  const english: Record<string, string> = {};
  const [first = ''] = config.locales;
  // Each catalogue contains the English texts as its keys. Extracting them from the source takes seconds.
  for (const one of catalogues)
    for (const [id, { message = id }] of Object.entries((await one.read(first)) ?? {})) english[id] = message;
  const compiled = new Map([['en', compile('en', english)]]);
  for (const locale of config.locales) {
    const texts = { ...english };
    for (const one of catalogues)
      for (const [id, { translation }] of Object.entries((await one.read(locale)) ?? {}))
        if (translation && id in english) texts[id] = translation;
    compiled.set(locale, compile(locale, texts));
  }
  return compiled;
}

function compile(locale: string, texts: Record<string, string>): Messages {
  const { source, errors } = createCompiledCatalog(locale, texts, { namespace: 'json' });
  if (errors[0]) throw new Error(`${locale}: ${errors[0].source}`, { cause: errors[0].error });
  return JSON.parse(source).messages;
}

/** Files that `from` imports, directly or through others, except dynamic imports with their own texts. */
function reached(bundle: OutputBundle, from: OutputChunk, isOther: (file: string) => boolean): Set<string> {
  const files = new Set([from.fileName]);
  for (const file of files) {
    const chunk = bundle[file];
    if (chunk?.type !== 'chunk') continue;
    for (const next of chunk.imports) files.add(next);
    for (const next of chunk.dynamicImports) if (!isOther(next)) files.add(next);
  }
  return files;
}

/** Ids of the messages that each module with its own texts uses, by the module's name, such as "pages/keys/keys". */
function idsByModule(bundle: OutputBundle, known: Messages, source: string): ReadonlyMap<string, readonly string[]> {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const strings = new Map(
    chunks.map(({ fileName, code }) => [fileName, new Set(code.match(/(?<=["'`])[\w/-]+(?=["'`])/g))]),
  );
  const nameOf = ({ isEntry, facadeModuleId }: OutputChunk) =>
    isEntry ? 'main' : relative(source, facadeModuleId ?? '').replace(/\.tsx$/, '');
  const own = chunks.filter((one) => one.isEntry || [...strings.values()].some((texts) => texts.has(nameOf(one))));
  const isOwn = (file: string) => own.some(({ fileName }) => fileName === file);
  const entry = own.find(({ isEntry }) => isEntry);
  const first = entry ? reached(bundle, entry, () => true) : new Set<string>();
  return new Map(
    own.map((one) => {
      const files = one === entry ? first : reached(bundle, one, isOwn).difference(first);
      const ids = new Set(
        [...files].flatMap((file) => [...(strings.get(file) ?? [])].filter((id) => Object.hasOwn(known, id))),
      );
      return [nameOf(one), [...ids].toSorted()];
    }),
  );
}

const meta = (folder: string) => [
  { tag: 'meta', attrs: { name: 'texts', content: folder }, injectTo: 'head-prepend' as const },
];

/**
 * Writes a file of texts for each language and each module that the page loads with its texts (src/lib/texts.ts). The
 * document names their folder.
 */
export function texts(): Plugin {
  let folder = `${hashedAssets}texts/`;
  let source = '';
  return {
    name: 'texts',
    configResolved: ({ root }) => {
      source = `${root}/src`;
    },
    configureServer: ({ middlewares }) => {
      middlewares.use(folder, (request, response) => {
        const locale = request.url?.split('/')[1] ?? '';
        void compiledTexts().then((all) => response.end(JSON.stringify(all.get(locale) ?? {})));
      });
    },
    generateBundle: {
      order: 'pre',
      async handler(_options, bundle) {
        const compiled = await compiledTexts();
        const modules = idsByModule(bundle, compiled.get('en') ?? {}, source);
        const files = new Map<string, string>();
        for (const [locale, messages] of compiled)
          for (const [name, ids] of modules)
            files.set(
              `${locale}/${name}.json`,
              JSON.stringify(Object.fromEntries(ids.map((id) => [id, messages[id]]))),
            );
        const hash = createHash('sha256')
          .update(JSON.stringify([...files]))
          .digest('base64url')
          .slice(0, 8);
        folder = `${hashedAssets}texts-${hash}/`;
        for (const [name, content] of files)
          this.emitFile({ type: 'asset', fileName: `${folder.slice(1)}${name}`, source: content });
      },
    },
    transformIndexHtml: { order: 'post', handler: () => meta(folder) },
  };
}
