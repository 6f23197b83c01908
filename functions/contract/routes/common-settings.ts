/** Access to developer resources: agents, audio, messages, webhooks, and the priced calls of /api/ai. */
export const developerAccess = { credential: 'session or key', access: 'develop', confirmed: true } as const;

/** Reading a payment from the provider can grant its credits. */
export const paying = { tables: { accounts: 'write', meters: 'write', payments: 'write' }, payments: true } as const;
