import { OperatorAction } from '#contract/operators/actions.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { perform } from '../../../api/call.ts';
import type { KeyRecord } from '../../../api/keys/key-list.ts';
import { useMe } from '../../../api/reads.ts';
import type { Account } from '../account/account.ts';
import { ActionButton } from './action-button.tsx';
import { ActionForm } from './action-form.tsx';

interface SuspendKeyButtonProps {
  readonly account: Account;
  readonly apiKey: KeyRecord;
}

/** For a key that has not ended, of somebody else's account. */
export function SuspendKeyButton({ account, apiKey: { id: keyId, name, status } }: SuspendKeyButtonProps) {
  const { data: me } = useMe();
  const isOver = status === 'revoked' || status === 'expired' || account.status === 'deleted';
  if (isOver || account.id === me?.id) return null;
  const path = { id: String(account.id), keyId };
  return (
    <ActionButton label={`Suspend ${name}`} icon="pause" title={`Suspend “${name}”?`}>
      {(onClose) => (
        <ActionForm
          text="Calls with this key are rejected immediately. The owner cannot resume it, only revoke it and create a new one."
          initial={{}}
          schema={OperatorAction}
          action="Suspend key"
          isDanger
          send={(body, idempotencyKey) => perform(operatorRoutes.suspendKey, { path, body }, { idempotencyKey })}
          done={`“${name}” is suspended.`}
          onClose={onClose}
        />
      )}
    </ActionButton>
  );
}
