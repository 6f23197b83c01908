/** Replaces `gateways/stripe/provider.ts` in functions that never call Stripe, so that they do not contain its package. */
export function stripeProvider(): never {
  throw new Error('This function does not call Stripe.');
}
