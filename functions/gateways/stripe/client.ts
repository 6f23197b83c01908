import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import Stripe from 'stripe';
import * as v from 'valibot';
import { limitedTo } from '#aws/timeouts.ts';
import { StripeSecret } from '#contract/payments/stripe-secret.ts';
import { ChargeRefused, ProviderUnavailable } from '#domain/payments/provider.ts';

export interface StripeSettings {
  /** Name of the secret in Secrets Manager, or its value. */
  readonly secret: { readonly name: string } | { readonly value: string };
  /** Origin of a server that replaces Stripe's API. Default: Stripe. */
  readonly api: string | undefined;
}

/** Milliseconds of a request. Stripe's own limit is 80 s, longer than a function runs. */
const timeout = 8000;
const secretSeconds = 300;
const secretTimeout = 3000;

/** The bank will not accept the card at any later time (Stripe "Decline codes"). */
const hardDeclines = new Set([
  'card_not_supported',
  'expired_card',
  'fraudulent',
  'incorrect_number',
  'invalid_account',
  'lost_card',
  'pickup_card',
  'restricted_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'security_violation',
  'stolen_card',
  'stop_payment_order',
]);

/** The payment requires authentication (Stripe "Error codes"). */
const authenticationCodes = new Set([
  'authentication_required',
  'invoice_payment_intent_requires_action',
  'subscription_payment_intent_requires_action',
]);

export type StripeClient = ReturnType<typeof stripeClient>;

/** Calls Stripe with the key of the secret, which may be replaced while the function runs. */
export function stripeClient(settings: StripeSettings) {
  const secret = secretsReader(settings.secret);
  let client: { readonly key: string; readonly stripe: Stripe } | undefined;

  async function stripe(): Promise<Stripe> {
    const { apiKey } = await secret();
    if (client?.key !== apiKey) client = { key: apiKey, stripe: new Stripe(apiKey, options(settings.api)) };
    return client.stripe;
  }

  async function call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await work(await stripe());
    } catch (error) {
      throw translated(error);
    }
  }

  /** Returns undefined if the object does not exist. */
  const find = <T>(work: (stripe: Stripe) => Promise<T>): Promise<T | undefined> =>
    call((stripe) => work(stripe).catch(undefinedIfMissing));

  return { secret, stripe, call, find };
}

function options(api: string | undefined): Stripe.StripeConfig {
  const url = api === undefined ? undefined : new URL(api);
  return {
    timeout,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port,
      protocol: url.protocol === 'http:' ? 'http' : 'https',
    }),
  };
}

function secretsReader(secret: StripeSettings['secret']): () => Promise<StripeSecret> {
  const Secret = v.pipe(v.string(), v.parseJson(), StripeSecret);
  if ('value' in secret) {
    const parsed = v.parse(Secret, secret.value);
    return async () => parsed;
  }
  const provider = new SecretsProvider({ clientConfig: { maxAttempts: 2, requestHandler: limitedTo(secretTimeout) } });
  return async () => {
    try {
      return v.parse(Secret, await provider.get(secret.name, { maxAge: secretSeconds }));
    } catch (cause) {
      provider.clearCache();
      throw new ProviderUnavailable('the secret of the payment provider cannot be read', { cause });
    }
  };
}

export const idOf = (value: string | { readonly id?: string } | null | undefined): string | undefined =>
  typeof value === 'string' ? value : (value?.id ?? undefined);

/** Cents without taxes. */
export const priceOf = ({ total_excluding_tax: total, subtotal }: Stripe.Invoice): number => total ?? subtotal;

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Stripe.errors.StripeError ? error.code : undefined;

export function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) !== 'resource_missing') throw error;
}

/** Ignores Stripe's refusal of a request that has already taken effect. */
export function unlessEnded(error: unknown): void {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
}

function translated(error: unknown): unknown {
  const { StripeCardError, StripeInvalidRequestError, StripeIdempotencyError, StripeError } = Stripe.errors;
  const needsAuthentication =
    error instanceof StripeError &&
    [error.code, error.decline_code].some((code) => authenticationCodes.has(code ?? ''));
  if (needsAuthentication) return new ChargeRefused('action_required');
  if (error instanceof StripeCardError) {
    const codes = [error.code ?? '', error.decline_code ?? ''];
    return new ChargeRefused(codes.some((code) => hardDeclines.has(code)) ? 'hard_decline' : 'declined');
  }
  if (error instanceof StripeInvalidRequestError || error instanceof StripeIdempotencyError) return error;
  return error instanceof StripeError ? new ProviderUnavailable(error.type, { cause: error }) : error;
}
