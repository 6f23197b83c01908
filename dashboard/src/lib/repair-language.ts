const fallback = 'en-GB';

/**
 * Some systems give the browser a language that `Intl` refuses, such as "en-US@posix" or "C". Libraries pass
 * `navigator.language` on as they load, and would throw then.
 */
export function repairLanguage(): void {
  try {
    Intl.getCanonicalLocales([...navigator.languages, navigator.language]);
  } catch {
    Object.defineProperty(navigator, 'language', { value: fallback, configurable: true });
    Object.defineProperty(navigator, 'languages', { value: [fallback], configurable: true });
  }
}
