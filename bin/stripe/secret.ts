import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { isLiveKey, NewStripeSecret } from '#contract/payments/stripe-secret.ts';

type Parsed<S extends v.GenericSchema> = v.InferOutput<S> | { readonly fault: string };

/** Faults contain no part of the secret. */
export function parseSecret<S extends v.GenericSchema>(schema: S, text: string): Parsed<S> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson({}, 'must be JSON'), schema), text);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  return { fault: `${v.getDotPath(issue) ?? 'the secret'} ${issue.message}` };
}

export type Mode = 'test' | 'live';

export const modeOf = (apiKey: string): Mode => (isLiveKey(apiKey) ? 'live' : 'test');

export async function readSecret(client: SecretsManagerClient, SecretId: string): Promise<string> {
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}

/** The API key of a secret. Throws if there is none. */
export async function readApiKey(client: SecretsManagerClient, name: string): Promise<string> {
  const parsed = parseSecret(NewStripeSecret, await readSecret(client, name));
  if ('fault' in parsed) throw new Error(`The secret ${name} is invalid: ${parsed.fault}.`);
  return parsed.apiKey;
}
