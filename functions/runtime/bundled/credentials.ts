import { fromEnv } from '@aws-sdk/credential-provider-env';
import { doesIdentityRequireRefresh, isIdentityExpired, memoizeIdentityProvider } from '@smithy/core';

/**
 * The SDK's default credentials in a function's code: Lambda puts them into the environment, so that none of the other
 * places is looked at or read at a start (AWS "Defined runtime environment variables"). Kept as the SDK's own default keeps
 * them: for good, unless they have an expiration.
 */
export const defaultProvider = () => memoizeIdentityProvider(fromEnv(), isIdentityExpired, doesIdentityRequireRefresh);
