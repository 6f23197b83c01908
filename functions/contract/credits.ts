import * as v from 'valibot';
import { accountId, instant } from './fields.ts';

const perService = v.object({ translation: v.number(), audio: v.number(), voice_call: v.number(), sms: v.number() });

/** `quota` and `used` in whole credits of the current billing month, -1 meaning unlimited; `used` rounds up. */
export const CreditBalance = v.object({
  id: accountId,
  quota: perService,
  used: perService,
  source: v.picklist(['plan', 'free', 'purchase']),
  expiresAt: instant,
});
