/** Languages of the dashboard and of emails, each under its own name. The first is the default. */
export const languages = { en: 'English', de: 'Deutsch', es: 'Español', ja: '日本語', ar: 'العربية' } as const;

export type Language = keyof typeof languages;

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(languages, value);
