/** Replaces `gateways/bedrock/bedrock-runtime.ts` in functions without a model there, so that they do not contain its package. */
export function bedrockRuntime(): never {
  throw new Error('This function does not call Amazon Bedrock.');
}

/**
 * Replaces `gateways/stripe/provider.ts` in functions that never call Stripe, so that they do not contain its package.
 */
export function stripeProvider(): never {
  throw new Error('This function does not call Stripe.');
}
