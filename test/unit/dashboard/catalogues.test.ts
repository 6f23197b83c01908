import { globSync, readFileSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompiledCatalog, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import { describe, expect, it } from 'vitest';
import { languages } from '#contract/accounts/preferences.ts';

const dashboard = join(import.meta.dirname, '../../../dashboard');
const config = getConfig({ configPath: join(dashboard, 'lingui.config.ts') });
const locales = Object.keys(languages).filter((language) => language !== 'en');

const contentOf = (folder: string) =>
  new Map(globSync('**/*.po', { cwd: folder }).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));

const catalogues = await getCatalogs(config);
const english: Record<string, string> = {};
for (const one of catalogues)
  for (const [id, { message = id }] of Object.entries((await one.collect()) ?? {})) english[id] = message;

async function translationsOf(locale: string): Promise<Record<string, string>> {
  const read = await Promise.all(catalogues.map((one) => one.read(locale)));
  const entries = read.flatMap((messages) => Object.entries(messages ?? {}));
  return Object.fromEntries(
    entries.flatMap(([id, { translation }]) => (translation && id in english ? [[id, translation]] : [])),
  );
}

type Choice = Readonly<Record<string, Token[]>>;
type Token = string | readonly [name: string, type?: string, format?: Choice | string];

function compiled(locale: string, texts: Record<string, string>): Readonly<Record<string, string | Token[]>> {
  const { source, errors } = createCompiledCatalog(locale, texts, { namespace: 'json' });
  expect(errors).toEqual([]);
  return JSON.parse(source).messages;
}

interface Parts {
  /** Arguments with their types, options of a choice by word, and tags. */
  readonly names: Set<string>;
  readonly plurals: string[][];
}

/** Other forms than "other" may repeat or leave out its parts, because languages have different forms. */
function collect(message: string | readonly Token[], parts: Parts = { names: new Set(), plurals: [] }): Parts {
  for (const token of typeof message === 'string' ? [message] : message) {
    if (typeof token === 'string') {
      for (const [tag] of token.matchAll(/<\/?\w+\/?>/g)) parts.names.add(tag);
      continue;
    }
    const [name, type = 'value', format] = token;
    parts.names.add(`${name} ${type}`);
    if (typeof format !== 'object') continue;
    const options = Object.entries(format).filter(([option]) => option !== 'offset');
    if (type === 'select') for (const [option] of options) parts.names.add(`${name} ${option}`);
    else parts.plurals.push(options.map(([option]) => option));
    const shown = type === 'select' ? options : options.filter(([option]) => option === 'other');
    for (const [, inner] of shown) collect(inner, parts);
  }
  return parts;
}

/** Forms that numbers up to a thousand take. Some languages have another one for millions. */
const formsOf = (locale: string): Set<string> => {
  const rules = new Intl.PluralRules(locale);
  return new Set(Array.from({ length: 1001 }, (_, value) => rules.select(value)));
};

describe('catalogues', () => {
  it('contain the texts of the source and no others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'catalogues-'));
    await cp(join(dashboard, 'locales'), folder, { recursive: true });
    for (const one of await getCatalogs(config)) {
      one.path = one.path.replace(/^.*\/locales(?=\/)/, folder);
      await one.make({ clean: true, overwrite: false, orderBy: config.orderBy ?? 'message' });
    }
    expect(contentOf(folder)).toEqual(contentOf(join(dashboard, 'locales')));
  });

  it('exist in every language', () => {
    expect(config.locales.toSorted()).toEqual(locales.toSorted());
    const [, listed = ''] =
      /new Set\(\[(.*?)\]\)/.exec(readFileSync(join(dashboard, 'public/first-paint.js'), 'utf8')) ?? [];
    expect(listed.replaceAll("'", '').split(', ')).toEqual(Object.keys(languages));
  });

  describe.each(locales)('in %s', (locale) => {
    it('translate every text', async () => {
      const translated = await translationsOf(locale);
      const missing = Object.keys(english).filter((id) => !(id in translated));
      expect(missing.map((id) => english[id])).toEqual([]);
    });

    it('have the values, choices and tags of the English texts, and every plural form', async () => {
      const translated = await translationsOf(locale);
      const source = compiled('en', english);
      const forms = formsOf(locale);
      const allowed = new Set(new Intl.PluralRules(locale).resolvedOptions().pluralCategories);
      const wrong: unknown[] = [];
      for (const [id, message] of Object.entries(compiled(locale, translated))) {
        const [expected, found] = [collect(source[id] ?? ''), collect(message)];
        const different = [...expected.names.symmetricDifference(found.names)];
        const missing = found.plurals.flatMap((options) => [...forms].filter((form) => !options.includes(form)));
        const foreign = found.plurals
          .flat()
          .filter((option) => !/^=\d+$/.test(option) && ![...allowed].some((form) => form === option));
        if (different.length + missing.length + foreign.length > 0)
          wrong.push({ english: english[id], translation: translated[id], different, missing, foreign });
      }
      expect(wrong).toEqual([]);
    });
  });
});
