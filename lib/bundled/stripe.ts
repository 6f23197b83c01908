/** Replaces `gateways/stripe.ts` in functions that never call Stripe, so that they do not contain its package. */
throw new Error('This function does not call Stripe.');

export {};
