import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * The SDK's default credentials in a function's code: Lambda puts them into the environment, so that none of the other
 * places is looked at or read at a start (AWS "Defined runtime environment variables").
 */
export const defaultProvider = () => fromEnv();
