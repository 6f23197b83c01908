import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';
import { languages } from '../functions/contract/accounts/preferences.ts';

const pages = 'src/pages';
const folders = readdirSync(join(import.meta.dirname, pages), { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
);

const catalogue = (name: string, include: readonly string[]) => ({
  path: `<rootDir>/locales/{locale}/${name}`,
  include: include.map((path) => `<rootDir>/${path}`),
});

/** A catalogue for each folder of pages, and one for what they share. The build finds the texts of each page in all. */
export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en',
  // The source is English.
  locales: Object.keys(languages).filter((language) => language !== 'en'),
  catalogs: [
    catalogue('frame', ['src/*.{ts,tsx}', 'src/{api,components,lib}/**/*.{ts,tsx}']),
    catalogue('pages', [`${pages}/*.{ts,tsx}`]),
    ...folders.map(({ name }) => catalogue(name, [`${pages}/${name}/**/*.{ts,tsx}`])),
  ],
  // No places, so that moved code changes no catalogue.
  format: formatter({ origins: false, lineNumbers: false }),
  orderBy: 'message',
  runtimeConfigModule: { Trans: ['#dashboard/trans', 'Trans'] },
  macro: {
    jsxPlaceholderDefaults: {
      a: 'link',
      Anchor: 'link',
      Link: 'link',
      b: 'b',
      strong: 'b',
      em: 'em',
      Code: 'code',
      code: 'code',
    },
  },
});
