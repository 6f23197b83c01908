import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';

const ApiKey = v.pipe(
  v.string('must be a text'),
  v.regex(/^[rs]k_(test|live)_\w+$/, 'must start with rk_test_, rk_live_, sk_test_ or sk_live_'),
);

/** A secret whose signing secrets may be missing, before the webhook endpoint exists. */
const NewSecret = v.object({ apiKey: ApiKey }, 'must be a JSON object');

/** The secret as functions read it (functions/gateways/stripe.ts). */
export const StripeSecret = v.object(
  {
    apiKey: ApiKey,
    webhookSecrets: v.pipe(
      v.array(
        v.pipe(v.string('must be texts'), v.regex(/^whsec_\S+$/, 'must start with whsec_')),
        'must be a list of signing secrets',
      ),
      v.minLength(1, 'must have the signing secret of the webhook endpoint'),
      v.maxLength(2, 'must have at most two signing secrets'),
    ),
  },
  'must be a JSON object',
);

type Parsed<S extends v.GenericSchema> = v.InferOutput<S> | { readonly fault: string };

/** Faults contain no part of the secret. */
export function parseSecret<S extends v.GenericSchema>(schema: S, text: string): Parsed<S> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson({}, 'must be JSON'), schema), text);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  return { fault: `${v.getDotPath(issue) ?? 'the secret'} ${issue.message}` };
}

export type Mode = 'test' | 'live';

export const modeOf = (apiKey: string): Mode => (apiKey.includes('_live_') ? 'live' : 'test');

export async function readSecret(client: SecretsManagerClient, SecretId: string): Promise<string> {
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}

/** The API key of a secret. Throws if there is none. */
export async function readApiKey(client: SecretsManagerClient, name: string): Promise<string> {
  const parsed = parseSecret(NewSecret, await readSecret(client, name));
  if ('fault' in parsed) throw new Error(`The secret ${name} is invalid: ${parsed.fault}.`);
  return parsed.apiKey;
}
