import * as v from 'valibot';

const ApiKey = v.pipe(
  v.string('must be a string'),
  v.regex(/^[rs]k_(test|live)_\w+$/, 'must start with rk_test_, rk_live_, sk_test_ or sk_live_'),
);

/** A secret whose signing secrets may be missing, before the webhook endpoint exists. */
export const NewStripeSecret = v.object({ apiKey: ApiKey }, 'must be a JSON object');

/** The secret of a stage. With two signing secrets, one can be replaced without losing events. */
export const StripeSecret = v.object(
  {
    apiKey: ApiKey,
    webhookSecrets: v.pipe(
      v.array(
        v.pipe(v.string('must be strings'), v.regex(/^whsec_\S+$/, 'must start with whsec_')),
        'must be a list of signing secrets',
      ),
      v.minLength(1, 'must have the signing secret of the webhook endpoint'),
      v.maxLength(2, 'must have at most two signing secrets'),
    ),
  },
  'must be a JSON object',
);
export type StripeSecret = v.InferOutput<typeof StripeSecret>;

export const isLiveKey = (apiKey: string): boolean => apiKey.includes('_live_');
