import { i18n } from '@lingui/core';
import { language } from './language.ts';
import { readStored, store } from './storage.ts';

/** Loads the texts of a module by its path in src, such as "pages/keys/keys". The build writes them. */
export async function loadTexts(module: string): Promise<void> {
  const folder = document.querySelector('meta[name=texts]')?.getAttribute('content') ?? '';
  const response = await fetch(`${folder}${language}/${module}.json`);
  if (!response.ok) throw new Error(`The texts of ${module} could not be loaded.`);
  i18n.load(language, await response.json());
}

/** Returns a loader of a module and its texts, in parallel. */
export const withTexts =
  <Module>(module: string, load: () => Promise<Module>) =>
  async (): Promise<Module> => {
    const [loaded] = await Promise.all([load(), loadTexts(module)]);
    return loaded;
  };

/** Name of the choice in local storage, which public/first-paint.js reads too. */
const storedName = 'language';

/** Keeps the choice in this browser and reloads the page in that language. */
export function chooseLanguage(chosen: string): void {
  if (store('localStorage', storedName, chosen)) window.location.reload();
}

/** In a browser without a choice, keeps the language of the account, and reloads the page if it is another one. */
export function adoptLanguage(chosen: string | undefined): void {
  if (chosen !== undefined && readStored('localStorage', storedName) === null && chosen !== language)
    chooseLanguage(chosen);
}
