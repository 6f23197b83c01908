import * as v from 'valibot';

/** Languages of the dashboard and of emails, each under its own name. The first is the default. */
export const languages = { en: 'English', de: 'Deutsch', es: 'Español', ja: '日本語', ar: 'العربية' } as const;

export type Language = keyof typeof languages;

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(languages, value);

/** Kinds of emails that a person can switch off. Emails about security and failed payments are always sent. */
export const mailKinds = ['planChanges', 'renewals', 'receipts', 'webhooks'] as const;
export type MailKind = (typeof mailKinds)[number];

const isOn = v.boolean('must be true or false');

export const MailPreferences = v.object(
  {
    planChanges: v.pipe(isOn, v.description('The plan was changed, cancelled or resumed.')),
    renewals: v.pipe(isOn, v.description('A month of a plan without payment was renewed.')),
    receipts: v.pipe(isOn, v.description('A payment was received.')),
    webhooks: v.pipe(isOn, v.description('A webhook was disabled.')),
  },
  'must be a JSON object',
);
export type MailPreferences = v.InferOutput<typeof MailPreferences>;
