import { Select } from '@mantine/core';
import { type PlanName, planListing } from '#contract/billing/plans.ts';
import { PlanAssignment } from '#contract/operators/actions.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { perform } from '../../../api/call.ts';
import { planTitle } from '../../../lib/names.ts';
import type { Account } from '../account/account.ts';
import { ActionButton } from './action-button.tsx';
import { ActionForm } from './action-form.tsx';

const plans = planListing.map(({ name }) => ({ value: name, label: planTitle(name) }));

export function AssignPlan({ account: { id, email, plan } }: { account: Account }) {
  const path = { id: String(id) };
  const initial: { planId: PlanName } = { planId: plans.find(({ value }) => value === plan)?.value ?? 'freemium' };
  return (
    <ActionButton label="Assign plan" title="Assign a plan?">
      {(onClose) => (
        <ActionForm
          text={`A different plan starts a new billing month for ${email} now, with its credits and limits. The plan that the account already has continues its current month: nothing is granted, and a cancellation or downgrade is undone.`}
          initial={initial}
          schema={PlanAssignment}
          labels={{ planId: 'Plan' }}
          fields={(form) => (
            <Select label="Plan" data={plans} allowDeselect={false} data-autofocus {...form.getInputProps('planId')} />
          )}
          action="Assign plan"
          send={(body, idempotencyKey) => perform(operatorRoutes.assignPlan, { path, body }, { idempotencyKey })}
          done={`Plan assigned to ${email}.`}
          onClose={onClose}
        />
      )}
    </ActionButton>
  );
}
