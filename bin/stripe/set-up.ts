import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import Stripe from 'stripe';
import * as v from 'valibot';
import { isLiveKey, NewStripeSecret } from '#contract/payments/stripe-secret.ts';

/**
 * Events that the service receives. Without `invoice.created`: while it is undelivered, Stripe waits up to 72 hours
 * before it finalizes an invoice (Stripe "Using webhooks with subscriptions").
 */
export const eventTypes = [
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'checkout.session.async_payment_failed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.subscription.deleted',
  'customer.subscription.updated',
  'invoice.paid',
  'invoice.payment_action_required',
  'invoice.payment_failed',
  'invoice.voided',
  'radar.early_fraud_warning.created',
  'refund.created',
  'refund.failed',
  'refund.updated',
] as const satisfies readonly Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** Plans change only through the service, so the portal cannot change, cancel or pause a subscription. */
const portalFeatures = {
  customer_update: { enabled: true, allowed_updates: ['address', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: false },
  subscription_pause: { enabled: false },
  subscription_update: { enabled: false },
} as const satisfies Stripe.BillingPortal.ConfigurationUpdateParams['features'];

/** `wrong`: differs and was not changed. */
export interface Step {
  readonly status: 'ok' | 'changed' | 'wrong';
  readonly detail: string;
  /** Signing secret of a new endpoint, which Stripe returns once. */
  readonly signingSecret?: string;
}

export interface SetUp {
  readonly stripe: Stripe;
  /** URL of the events route. */
  readonly url: string;
  /** Compares without changes. */
  readonly isCheck: boolean;
}

/** Compares the account's webhook endpoint and customer portal with the required settings, and corrects them. */
export async function setUpStripe(setUp: SetUp): Promise<readonly Step[]> {
  return [...(await setUpEndpoint(setUp)), await setUpPortal(setUp)];
}

/** The API version of an endpoint cannot be changed, so another version needs another endpoint. */
async function setUpEndpoint({ stripe, url, isCheck }: SetUp): Promise<Step[]> {
  const found: Stripe.WebhookEndpoint[] = [];
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) found.push(endpoint);
  }
  const current = found.filter(({ api_version, status }) => api_version === Stripe.API_VERSION && status === 'enabled');
  const others = found
    .filter((endpoint) => !current.includes(endpoint))
    .map(({ id, api_version, status }): Step => {
      const remedy = `delete it once the secret contains the one of the new endpoint`;
      return {
        status: 'wrong',
        detail: `${id} is ${status} with API version ${api_version ?? 'of the account'}: ${remedy}`,
      };
    });
  const [endpoint] = current;
  if (!endpoint) return [isCheck ? missing(url) : await createEndpoint(stripe, url), ...others];
  return [await updateEvents(stripe, endpoint, isCheck), ...others];
}

const missing = (url: string): Step => ({
  status: 'wrong',
  detail: `no enabled endpoint for ${url} with API version ${Stripe.API_VERSION}: run without --check`,
});

async function createEndpoint(stripe: Stripe, url: string): Promise<Step> {
  const { id, secret } = await stripe.webhookEndpoints.create({
    url,
    api_version: Stripe.API_VERSION,
    enabled_events: [...eventTypes],
    description: 'Text AI platform',
  });
  if (secret === undefined) throw new Error(`Stripe returned no signing secret for ${id}.`);
  return { status: 'changed', detail: `endpoint ${id} created for ${url}`, signingSecret: secret };
}

async function updateEvents(stripe: Stripe, endpoint: Stripe.WebhookEndpoint, isCheck: boolean): Promise<Step> {
  const { id, enabled_events: enabled } = endpoint;
  const lacking = eventTypes.filter((type) => !enabled.includes(type));
  const needless = enabled.filter((type) => !eventTypes.some((wanted) => wanted === type));
  if (lacking.length === 0 && needless.length === 0) return { status: 'ok', detail: `endpoint ${id}` };
  const parts = [
    ...(lacking.length > 0 ? [`without ${lacking.join(', ')}`] : []),
    ...(needless.length > 0 ? [`with unused ${needless.join(', ')}`] : []),
  ];
  const detail = `endpoint ${id} ${parts.join(' and ')}`;
  if (isCheck) return { status: 'wrong', detail };
  await stripe.webhookEndpoints.update(id, { enabled_events: [...eventTypes] });
  return { status: 'changed', detail: `${detail}: corrected` };
}

/** Portal sessions use the account's default configuration, which only the Dashboard can create. */
async function setUpPortal({ stripe, isCheck }: SetUp): Promise<Step> {
  const { data } = await stripe.billingPortal.configurations.list({ is_default: true, active: true });
  const [configuration] = data;
  if (!configuration) {
    const remedy = 'save Settings > Billing > Customer portal once in the Dashboard, then run this again';
    return { status: 'wrong', detail: `the customer portal has no default configuration: ${remedy}` };
  }
  const { id, features } = configuration;
  const wrong = wrongFeatures(features);
  if (wrong.length === 0) return { status: 'ok', detail: `customer portal ${id}` };
  const detail = `customer portal ${id} with another ${wrong.join(', ')}`;
  if (isCheck) return { status: 'wrong', detail };
  await stripe.billingPortal.configurations.update(id, { features: portalFeatures });
  return { status: 'changed', detail: `${detail}: corrected` };
}

function wrongFeatures(features: Stripe.BillingPortal.Configuration['features']): string[] {
  const names = Object.keys(portalFeatures).filter(
    (name): name is keyof typeof portalFeatures => name in portalFeatures,
  );
  const wrong = names.filter((name) => features[name].enabled !== portalFeatures[name].enabled);
  const given = new Set<string>(features.customer_update.allowed_updates);
  const { allowed_updates: wanted } = portalFeatures.customer_update;
  const isSame = given.size === wanted.length && wanted.every((update) => given.has(update));
  return isSame || wrong.includes('customer_update') ? wrong : [...wrong, 'customer_update'];
}

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

/** Returns the API key of a secret. Throws if the secret contains none. */
export async function readApiKey(client: SecretsManagerClient, name: string): Promise<string> {
  const parsed = parseSecret(NewStripeSecret, await readSecret(client, name));
  if ('fault' in parsed) throw new Error(`The secret ${name} is invalid: ${parsed.fault}.`);
  return parsed.apiKey;
}
