import * as v from 'valibot';
import { planListing } from '../billing/plans.ts';
import { accountId, instant, integer, text } from '../shared/fields.ts';
import { email } from './email.ts';

const body = 'must be a JSON object';

/** Why an operator did something; kept with the audit event. */
const reason = text(200);

const id = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,15}$/, 'must be an account id'),
  v.transform(Number),
  v.maxValue(Number.MAX_SAFE_INTEGER, 'must be an account id'),
);

export const AccountPath = v.object({ id });
export const AccountKeyPath = v.object({ id, keyId: text(64) });
export const AccountQuery = v.object({ email }, 'must have an email');
export const OperatorAction = v.object({ reason }, body);
export const PlanAssignment = v.object(
  {
    planId: v.picklist(
      planListing.map(({ name }) => name),
      'must name a plan',
    ),
    reason,
  },
  body,
);
/** Whole credits, usable for three months. */
export const CreditGrant = v.object({ credits: integer(1, 1_000_000), reason }, body);

export const OperatedAccount = v.object({
  id: accountId,
  email: v.string(),
  name: v.string(),
  role: v.string(),
  status: v.picklist(['active', 'suspended', 'deleted']),
  plan: v.string(),
  created_at: instant,
});
