import { OperatorAction } from '#contract/operators/actions.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { perform } from '../../../api/call.ts';
import type { Account } from '../account/account.ts';
import { ActionButton } from './action-button.tsx';
import { ActionForm } from './action-form.tsx';

const danger = { variant: 'outline', color: 'red.8', style: { color: 'var(--danger-ink)' } } as const;

export function Suspend({ account: { id, email } }: { account: Account }) {
  const path = { id: String(id) };
  return (
    <ActionButton label="Suspend" title="Suspend account?" {...danger}>
      {(onClose) => (
        <ActionForm
          text={`API keys and sessions of ${email} stop working immediately, and sign-in is disabled until the account is resumed. Credits and data are kept.`}
          initial={{}}
          schema={OperatorAction}
          action="Suspend account"
          isDanger
          send={(body, idempotencyKey) => perform(operatorRoutes.suspendAccount, { path, body }, { idempotencyKey })}
          done={`${email} is suspended.`}
          onClose={onClose}
        />
      )}
    </ActionButton>
  );
}

export function Resume({ account: { id, email } }: { account: Account }) {
  const path = { id: String(id) };
  return (
    <ActionButton label="Resume" title="Resume account?">
      {(onClose) => (
        <ActionForm
          text={`API keys of ${email} work again, and its owner can sign in. Ended sessions are not restored.`}
          initial={{}}
          schema={OperatorAction}
          action="Resume account"
          send={(body, idempotencyKey) => perform(operatorRoutes.resumeAccount, { path, body }, { idempotencyKey })}
          done={`${email} is resumed.`}
          onClose={onClose}
        />
      )}
    </ActionButton>
  );
}
