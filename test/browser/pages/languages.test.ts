import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { languages } from '#contract/accounts/preferences.ts';
import { atLength, seed } from '#test/many.ts';
import { compiledTexts } from '../../../dashboard/locales/vite-plugin.ts';
import { open, phone, service, shoot, useStage } from '../stage.ts';
import { everyPage, guestPages, settled, still } from './findings.ts';

useStage();

const translations = Object.keys(languages).filter((language) => language !== 'en');
const cases = translations.flatMap((language) =>
  everyPage.filter((path) => path !== '/operator').map((path) => ({ language, path })),
);
/** Each language has a part of the pages. A step that is prime to their number spreads the sample. */
const sample = atLength(
  Array.from({ length: 12 }, (_, index) => cases[(seed + index * 31) % cases.length]).filter(
    (one) => one !== undefined,
  ),
  cases,
);
console.log(`languages of seed ${seed}`);

/** Elements whose text is cut off, and boxes of buttons outside the window. Runs in the page. */
const cutOff = `[...document.querySelectorAll('button, a[class*="Button"]')]
  .filter((button) => button.checkVisibility() && !button.closest('[role=tablist], pre'))
  .filter((button) => {
    const { left, right, width } = button.getBoundingClientRect();
    const label = button.querySelector('.mantine-Button-label');
    return (width > 1 && (left < -1 || right > innerWidth + 1)) || (label && label.scrollWidth > label.clientWidth + 1);
  })
  .map((button) => button.textContent)`;

/** Texts of the page outside content that stays English. Runs in the page. */
const shownTexts = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (!parentElement.closest('script, style, pre, code, option, [lang=en], .mono')) texts.push(data.trim());
  }
  return texts;
})()`;

/** English texts without values that have at least two words and are translated differently. */
async function englishOnly(language: string): Promise<ReadonlySet<string>> {
  const compiled = await compiledTexts();
  const translated = compiled.get(language) ?? {};
  const plain = (message: unknown): string =>
    Array.isArray(message) && message.length === 1 && typeof message[0] === 'string' ? message[0] : '';
  return new Set(
    Object.entries(compiled.get('en') ?? {})
      .filter(([id, message]) => plain(message).includes(' ') && plain(message) !== plain(translated[id]))
      .map(([, message]) => plain(message)),
  );
}

const directionOf = (page: Page) =>
  page.evaluate('({ lang: document.documentElement.lang, dir: document.documentElement.dir })');

describe('a page in another language', () => {
  it.each(sample)('$path fits a phone and is translated in $language', async ({ language, path }) => {
    const person = guestPages.has(path) ? undefined : await service.person();
    const page = await open(path, person, { ...phone, locale: language });
    await settled(page);
    await still(page);
    await shoot(page, `${language}${path.replaceAll(/[#/]/g, '-')}`);
    expect(await directionOf(page)).toEqual({ lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await page.evaluate(cutOff)).toEqual([]);
    // The API reference lists operations by their English summaries.
    const english = path.startsWith('/docs') ? new Set<string>() : await englishOnly(language);
    const texts: string[] = await page.evaluate(shownTexts);
    expect(texts.filter((text) => english.has(text))).toEqual([]);
  });
});
