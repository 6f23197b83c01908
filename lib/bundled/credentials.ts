import { fromEnv } from '@aws-sdk/credential-provider-env';
import { doesIdentityRequireRefresh, isIdentityExpired, memoizeIdentityProvider } from '@smithy/core';

/**
 * Replaces the SDK's default credential chain in Lambda bundles with the environment (AWS "Defined runtime
 * environment variables"), which shortens the cold start.
 */
export const defaultProvider = () => memoizeIdentityProvider(fromEnv(), isIdentityExpired, doesIdentityRequireRefresh);
