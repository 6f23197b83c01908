import * as v from 'valibot';

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
