import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import { perform } from '../api/call.ts';
import { confirmationKey, unconfirmed } from '../api/confirmation.ts';
import { useAction } from '../api/use-data.ts';

/** A link within a sentence that resends the confirmation email. */
export function ResendConfirmation() {
  const client = useQueryClient();

  function notify(error: ApiError): void {
    if (error.code === 'INVALID_STATE') settle();
    notifications.show({ message: error.message, color: error.code === 'INVALID_STATE' ? 'pine' : 'red' });
  }

  function settle(): void {
    unconfirmed.clear();
    void client.invalidateQueries({ queryKey: [confirmationKey] });
  }

  const { run, isRunning } = useAction(async () => {
    await perform(accountRoutes.resendConfirmation, {}).then(
      () => notifications.show({ message: 'Email sent. Earlier links no longer work.' }),
      (error: unknown) => {
        notify(toApiError(error));
        throw error;
      },
    );
  });

  return (
    <Anchor component="button" type="button" inherit disabled={isRunning} onClick={() => void run(undefined)}>
      resend the email
    </Anchor>
  );
}
