import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { perform } from '../../api/call.ts';
import { toApiError } from '../../api/http/api-error.ts';
import { type Action, useAction } from '../../api/use-data.ts';
import { notify } from '../feedback/notifications.tsx';

/** Resends the confirmation email, and notifies of how that went. */
export function useResend(): Action<undefined, void> {
  const client = useQueryClient();

  /** The address may have been confirmed elsewhere. */
  function explain(thrown: unknown): void {
    const { code, message } = toApiError(thrown);
    const isConfirmed = code === 'INVALID_STATE';
    if (isConfirmed) void client.invalidateQueries({ queryKey: [accountRoutes.me.id] });
    notify({ message, color: isConfirmed ? 'pine' : 'red' });
  }

  return useAction(() =>
    perform(accountRoutes.resendConfirmation, {}).then(
      () => notify({ message: 'Email sent. Earlier links no longer work.' }),
      (error: unknown) => {
        explain(error);
        throw error;
      },
    ),
  );
}

/** A link within a sentence that resends the confirmation email. */
export function ResendConfirmation() {
  const { run, isRunning } = useResend();
  return (
    <Anchor component="button" type="button" inherit disabled={isRunning} onClick={() => void run(undefined)}>
      resend the email
    </Anchor>
  );
}
