import * as v from 'valibot';
import { invalidRequest } from '../wire/errors.ts';
import { currency, flag, metadata, naturalNumber, oneOf, text, url } from '../wire/params.ts';
import { checkoutPriceData } from './prices.ts';

const off = v.pipe(flag, v.literal(false, 'parameter_invalid: This server only supports false.'));
const message = v.strictObject({ message: text(1200) });

/** Parameters of a new session. */
export const checkoutFields = {
  mode: oneOf(['payment', 'subscription', 'setup']),
  success_url: url,
  cancel_url: v.exactOptional(url),
  ui_mode: v.exactOptional(oneOf(['hosted_page'])),
  line_items: v.exactOptional(
    v.pipe(
      v.array(
        v.strictObject({
          price: v.exactOptional(text()),
          price_data: v.exactOptional(checkoutPriceData),
          quantity: v.exactOptional(naturalNumber),
          metadata: v.exactOptional(metadata),
        }),
      ),
      v.maxLength(100),
    ),
  ),
  customer: v.exactOptional(text()),
  customer_email: v.exactOptional(text(800)),
  customer_creation: v.exactOptional(oneOf(['always', 'if_required'])),
  customer_update: v.exactOptional(
    v.strictObject({
      address: v.exactOptional(oneOf(['auto', 'never'])),
      name: v.exactOptional(oneOf(['auto', 'never'])),
    }),
  ),
  client_reference_id: v.exactOptional(text(200)),
  metadata: v.exactOptional(metadata),
  expires_at: v.exactOptional(naturalNumber),
  currency: v.exactOptional(currency),
  locale: v.exactOptional(text(10)),
  submit_type: v.exactOptional(oneOf(['auto', 'book', 'donate', 'pay', 'subscribe'])),
  allow_promotion_codes: v.exactOptional(off),
  adaptive_pricing: v.exactOptional(v.strictObject({ enabled: off })),
  automatic_tax: v.exactOptional(v.strictObject({ enabled: off })),
  phone_number_collection: v.exactOptional(v.strictObject({ enabled: off })),
  tax_id_collection: v.exactOptional(
    v.strictObject({ enabled: flag, required: v.exactOptional(oneOf(['if_supported', 'never'])) }),
  ),
  billing_address_collection: v.exactOptional(oneOf(['auto', 'required'])),
  allowed_payment_method_types: v.exactOptional(v.array(oneOf(['card']))),
  payment_method_collection: v.exactOptional(oneOf(['always', 'if_required'])),
  payment_method_options: v.exactOptional(
    v.strictObject({
      card: v.exactOptional(
        v.strictObject({
          request_three_d_secure: v.exactOptional(oneOf(['any', 'automatic', 'challenge'])),
          setup_future_usage: v.exactOptional(oneOf(['off_session', 'on_session'])),
        }),
      ),
    }),
  ),
  consent_collection: v.exactOptional(
    v.strictObject({
      terms_of_service: v.exactOptional(oneOf(['none', 'required'])),
      promotions: v.exactOptional(oneOf(['auto', 'none'])),
      payment_method_reuse_agreement: v.exactOptional(v.strictObject({ position: oneOf(['auto', 'hidden']) })),
    }),
  ),
  custom_text: v.exactOptional(
    v.strictObject({
      submit: v.exactOptional(message),
      after_submit: v.exactOptional(message),
      terms_of_service_acceptance: v.exactOptional(message),
    }),
  ),
  saved_payment_method_options: v.exactOptional(
    v.strictObject({
      payment_method_save: v.exactOptional(oneOf(['disabled', 'enabled'])),
      payment_method_remove: v.exactOptional(oneOf(['disabled', 'enabled'])),
      allow_redisplay_filters: v.exactOptional(v.array(oneOf(['always', 'limited', 'unspecified']))),
    }),
  ),
  invoice_creation: v.exactOptional(
    v.strictObject({
      enabled: flag,
      invoice_data: v.exactOptional(
        v.strictObject({
          description: v.exactOptional(text(1500)),
          footer: v.exactOptional(text()),
          metadata: v.exactOptional(metadata),
        }),
      ),
    }),
  ),
  payment_intent_data: v.exactOptional(
    v.strictObject({
      description: v.exactOptional(text(1000)),
      metadata: v.exactOptional(metadata),
      receipt_email: v.exactOptional(text()),
      setup_future_usage: v.exactOptional(oneOf(['off_session', 'on_session'])),
    }),
  ),
  subscription_data: v.exactOptional(
    v.strictObject({ description: v.exactOptional(text(500)), metadata: v.exactOptional(metadata) }),
  ),
  setup_intent_data: v.exactOptional(
    v.strictObject({ description: v.exactOptional(text()), metadata: v.exactOptional(metadata) }),
  ),
};
export type CheckoutParams = v.InferOutput<v.StrictObjectSchema<typeof checkoutFields, undefined>>;

const modesOf: Readonly<Partial<Record<keyof CheckoutParams, readonly string[]>>> = {
  invoice_creation: ['payment'],
  payment_intent_data: ['payment'],
  submit_type: ['payment', 'subscription'],
  customer_creation: ['payment', 'setup'],
  subscription_data: ['subscription'],
  payment_method_collection: ['subscription'],
  setup_intent_data: ['setup'],
  line_items: ['payment', 'subscription'],
};

/** Refuses parameters that do not fit the mode or each other. */
export function refuseForeignParams(params: CheckoutParams): void {
  for (const [name, modes] of Object.entries(modesOf))
    if (Object.hasOwn(params, name) && !modes.includes(params.mode))
      throw invalidRequest(`You can not pass \`${name}\` in \`${params.mode}\` mode.`, { param: name });
  if (params.mode !== 'setup' && (params.line_items?.length ?? 0) === 0)
    throw invalidRequest(`\`line_items\` is required in \`${params.mode}\` mode.`, {
      code: 'parameter_missing',
      param: 'line_items',
    });
  if (params.mode === 'setup' && params.currency === undefined)
    throw invalidRequest('`currency` is required in `setup` mode.', { code: 'parameter_missing', param: 'currency' });
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.');
}
