import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { firstModelFor, models } from '#contract/inference/models.ts';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import { openApiDocument } from './document.ts';
import { readExamples } from './operation.ts';
import { withTables } from './tables.ts';

const docs = join(import.meta.dirname, '../../docs');

/** Generated files of docs, by path below it, with the text for the current offer. */
export async function generatedDocs(): Promise<readonly (readonly [path: string, text: string])[]> {
  const document = `${JSON.stringify(openApiDocument(await readExamples()), undefined, 2)}\n`;
  const guides = (await readdir(join(docs, 'guides'))).map((name) => `guides/${name}`);
  const pages = ['webhooks.md', ...guides];
  const texts = withTables(await Promise.all(pages.map((page) => readFile(join(docs, page), 'utf8'))));
  return [['openapi.json', document], ...pages.map((page, index) => [page, texts[index] ?? ''] as const)];
}

/** Writes the docs that the dashboard contains, with the models, tables and API document of the current offer. */
export async function writeDocsOfOffer(folder: string): Promise<void> {
  const credits = ['credits.md', await readFile(join(docs, 'credits.md'), 'utf8')] as const;
  for (const [path, text] of [...(await generatedDocs()), credits]) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, withOfferedModels(text));
  }
}

/** The longest first, because one id begins another. */
const defaultIds = defaultOffer.models.map(({ id }) => id).toSorted((one, other) => other.length - one.length);

/** Replaces the default models in examples by offered models with the same capability, if any. */
const withOfferedModels = (text: string): string =>
  text.replaceAll(new RegExp(`\\b(?:${defaultIds.join('|')})\\b`, 'g'), (id) => {
    if (models.some((model) => model.id === id)) return id;
    const [capability = 'chat'] = defaultOffer.models.find((model) => model.id === id)?.capabilities ?? [];
    return firstModelFor(capability) || id;
  });
