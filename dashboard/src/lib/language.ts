import { i18n } from '@lingui/core';
import { isLanguage, type Language } from '#contract/accounts/preferences.ts';

/** Undefined outside a browser, where the public files are built. */
declare const document: { readonly documentElement: { readonly lang: string } } | undefined;

const lang = typeof document === 'undefined' ? 'en' : document.documentElement.lang;

/** The page's language, which public/first-paint.js chose. Another choice reloads the page. */
export const language: Language = isLanguage(lang) ? lang : 'en';

i18n.activate(language);
