/**
 * Milliseconds to open a connection. AWS needs a few. The rest is for a busy laptop whose single process opens hundreds
 * at a time.
 */
export const connectionTimeout = 3000;

/** Milliseconds that a request to DynamoDB may take. DynamoDB responds within a few. */
export const dynamoTimeout = 5000;

/** The SDK only warns about a silent connection unless `throwOnRequestTimeout` is set. */
export const limitedTo = (requestTimeout: number) => ({
  connectionTimeout,
  requestTimeout,
  throwOnRequestTimeout: true,
});
