import type Stripe from 'stripe';
import * as v from 'valibot';
import { newId } from '../wire/errors.ts';
import { changedMetadata, clearable, flag, metadata, oneOf, text, url } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World } from '../world.ts';

type Configuration = Stripe.BillingPortal.Configuration;

const never = v.strictObject({
  enabled: v.pipe(flag, v.literal(false, 'parameter_invalid: The portal of this server cannot change or end plans.')),
});
const features = v.strictObject({
  customer_update: v.exactOptional(
    v.strictObject({
      enabled: v.exactOptional(flag),
      allowed_updates: v.exactOptional(
        v.union([v.literal(''), v.array(oneOf(['address', 'email', 'name', 'phone', 'shipping', 'tax_id']))]),
      ),
    }),
  ),
  invoice_history: v.exactOptional(v.strictObject({ enabled: flag })),
  payment_method_update: v.exactOptional(v.strictObject({ enabled: flag })),
  subscription_cancel: v.exactOptional(never),
  subscription_pause: v.exactOptional(never),
  subscription_update: v.exactOptional(never),
});

const fields = {
  features,
  name: v.exactOptional(clearable()),
  default_return_url: v.exactOptional(url),
  business_profile: v.exactOptional(
    v.strictObject({
      headline: v.exactOptional(clearable(60)),
      privacy_policy_url: v.exactOptional(url),
      terms_of_service_url: v.exactOptional(url),
    }),
  ),
  metadata: v.exactOptional(metadata),
};

type Params = v.InferOutput<v.StrictObjectSchema<typeof fields, undefined>>;

function featuresOf(given: Params['features']): Configuration['features'] {
  const updates = given.customer_update?.allowed_updates;
  return {
    customer_update: {
      enabled: given.customer_update?.enabled ?? false,
      allowed_updates: updates === '' || updates === undefined ? [] : updates,
    },
    invoice_history: { enabled: given.invoice_history?.enabled ?? false },
    payment_method_update: {
      enabled: given.payment_method_update?.enabled ?? false,
      payment_method_configuration: null,
    },
    subscription_cancel: {
      cancellation_reason: { enabled: false, feedback_options: null, options: [] },
      enabled: false,
      mode: 'at_period_end',
      proration_behavior: 'none',
    },
    subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
    subscription_update: {
      billing_cycle_anchor: null,
      default_allowed_updates: [],
      enabled: false,
      products: [],
      proration_behavior: 'none',
      schedule_at_period_end: { conditions: [] },
      trial_update_behavior: 'end_trial',
    },
  };
}

function newConfiguration(world: World, params: Params, isDefault = false): Configuration {
  const configuration: Configuration = {
    id: newId('bpc'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: {
      headline: params.business_profile?.headline ?? null,
      privacy_policy_url: params.business_profile?.privacy_policy_url ?? null,
      terms_of_service_url: params.business_profile?.terms_of_service_url ?? null,
    },
    created: world.at(),
    default_return_url: params.default_return_url ?? null,
    features: featuresOf(params.features),
    is_default: isDefault,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: changedMetadata({}, params.metadata),
    name: params.name ?? null,
    updated: world.at(),
  };
  world.save('billing_portal.configuration', configuration);
  return configuration;
}

const defaultFeatures: Params['features'] = {
  customer_update: { enabled: true, allowed_updates: ['address', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
};

/** With Stripe, the Dashboard creates it. */
export function defaultConfiguration(world: World): Configuration {
  const known = world.all('billing_portal.configuration').find((one) => one.is_default);
  return known ?? newConfiguration(world, { features: defaultFeatures }, true);
}

export const portalRoutes: readonly Route[] = [
  route('POST', '/v1/billing_portal/configurations', fields, ({ world, params }) => newConfiguration(world, params)),
  route('GET', '/v1/billing_portal/configurations/{id}', {}, ({ world, id }) =>
    required(world, 'billing_portal.configuration', id),
  ),
  route(
    'POST',
    '/v1/billing_portal/configurations/{id}',
    { active: v.exactOptional(flag), features: v.exactOptional(features), metadata: v.exactOptional(metadata) },
    ({ world, id, params }) => {
      const old = required(world, 'billing_portal.configuration', id);
      return update(world, 'billing_portal.configuration', old, {
        active: params.active ?? old.active,
        features: params.features ? featuresOf(params.features) : old.features,
        metadata: changedMetadata(old.metadata ?? {}, params.metadata),
        updated: world.at(),
      });
    },
  ),
  listRoute(
    '/v1/billing_portal/configurations',
    { active: v.exactOptional(flag), is_default: v.exactOptional(flag) },
    ({ world, params: { active, is_default: isDefault } }) =>
      world
        .all('billing_portal.configuration')
        .filter(
          (one) =>
            (active === undefined || one.active === active) &&
            (isDefault === undefined || one.is_default === isDefault),
        ),
  ),
  route(
    'POST',
    '/v1/billing_portal/sessions',
    {
      customer: text(),
      configuration: v.exactOptional(text()),
      return_url: v.exactOptional(url),
      locale: v.exactOptional(text(10)),
    },
    ({ world, params }) => {
      const customer = referenced(world, 'customer', params.customer, 'customer');
      const configuration =
        params.configuration === undefined
          ? defaultConfiguration(world)
          : referenced(world, 'billing_portal.configuration', params.configuration, 'configuration');
      const id = newId('bps');
      const session: Stripe.BillingPortal.Session = {
        id,
        object: 'billing_portal.session',
        configuration: configuration.id,
        created: world.at(),
        customer: customer.id,
        customer_account: null,
        flow: null,
        livemode: false,
        locale: null,
        on_behalf_of: null,
        return_url: params.return_url ?? configuration.default_return_url,
        url: `${world.url}/portal/${id}`,
      };
      world.save('billing_portal.session', session);
      return session;
    },
  ),
];
