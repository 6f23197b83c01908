import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import { StripeSecret } from '#contract/payments/stripe-secret.ts';
import type { Stage } from '#lib/stage.ts';
import { modeOf, parseSecret, readSecret } from '../stripe/secret.ts';
import { type Clients, type Finding, isNamed, missing, ok } from './clients.ts';

/** Reports the mode of the API key. In test mode no card is charged. */
export async function checkPayments(
  { secrets }: Clients,
  { secret, secretKeyArn }: NonNullable<Stage['payments']>['stripe'],
): Promise<Finding> {
  const found = await findSecret(secrets, secret);
  if (!found) {
    return missing(
      `Secrets Manager has no secret ${secret}: create it with {"apiKey": "rk_test_…", "webhookSecrets": ["whsec_…"]} as its text.`,
    );
  }
  if (found.KmsKeyId !== undefined && secretKeyArn === undefined)
    return missing(
      `The secret ${secret} has a key of its own: set payments.stripe.secretKeyArn to that of ${found.KmsKeyId}.`,
    );
  const parsed = parseSecret(StripeSecret, await readSecret(secrets, secret));
  if ('fault' in parsed) return missing(`The secret ${secret} is invalid: ${parsed.fault}.`);
  const kind = parsed.apiKey.startsWith('rk_') ? 'restricted key' : 'unrestricted key, prefer a restricted one';
  return ok(
    modeOf(parsed.apiKey) === 'live' ? `live mode, ${kind}` : `test mode, in which no card is charged, ${kind}`,
  );
}

async function findSecret(client: Clients['secrets'], SecretId: string) {
  try {
    const found = await client.send(new DescribeSecretCommand({ SecretId }));
    return found.DeletedDate ? undefined : found;
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException')) throw error;
    return undefined;
  }
}
