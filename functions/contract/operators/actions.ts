import * as v from 'valibot';
import { planListing } from '../billing/plans.ts';
import { integer, text } from '../shared/fields.ts';
import { isVisible } from '../shared/visible.ts';
import { AccountPath } from './accounts.ts';

const body = 'must be a JSON object';

/** Why an operator did something; kept with the audit event. */
const reason = v.pipe(text(500), v.check(isVisible, 'must have a visible character'));

export const AccountKeyPath = v.object({ ...AccountPath.entries, keyId: text(64) });
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
