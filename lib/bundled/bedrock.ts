/** Replaces `gateways/bedrock` in functions without a model there, so that they do not contain its package. */
export function bedrockRuntime(): never {
  throw new Error('This function does not call Amazon Bedrock.');
}
