import { CreditGrant } from '#contract/operators/actions.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { perform } from '../../../api/call.ts';
import { WholeNumberField } from '../../../components/forms/whole-number-field.tsx';
import type { Account } from '../account/account.ts';
import { ActionButton } from './action-button.tsx';
import { ActionForm } from './action-form.tsx';

/** An empty field is no number, which the schema refuses. */
const initial: { credits: number | string } = { credits: '' };

export function GrantCredits({ account: { id, email } }: { account: Account }) {
  const path = { id: String(id) };
  return (
    <ActionButton label="Grant credits" title="Grant credits?">
      {(onClose) => (
        <ActionForm
          text={`${email} can spend them immediately and for three months. They cannot be taken back.`}
          initial={initial}
          schema={CreditGrant}
          labels={{ credits: 'Credits' }}
          fields={(form) => (
            <WholeNumberField
              label="Credits"
              description="Whole credits, at most 1,000,000"
              required
              data-autofocus
              value={form.values.credits}
              error={form.errors['credits']}
              onChange={(credits) => form.setFieldValue('credits', credits)}
              data-path="credits"
            />
          )}
          action="Grant credits"
          send={({ credits, reason }, idempotencyKey) =>
            perform(
              operatorRoutes.grantCredits,
              { path, body: { credits: Number(credits), reason } },
              { idempotencyKey },
            )
          }
          done={`Credits were granted to ${email}.`}
          onClose={onClose}
        />
      )}
    </ActionButton>
  );
}
