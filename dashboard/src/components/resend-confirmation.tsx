import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { routes } from '#contract/routes.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import { perform } from '../api/call.ts';
import { confirmationKey, unconfirmed } from '../api/confirmation.ts';
import { useAction } from '../api/use-data.ts';

/** Words within a sentence that send the confirmation mail again. */
export function ResendConfirmation() {
  const client = useQueryClient();

  function tell(error: ApiError): void {
    if (error.code === 'INVALID_STATE') settle();
    notifications.show({ message: error.message, color: error.code === 'INVALID_STATE' ? 'pine' : 'red' });
  }

  function settle(): void {
    unconfirmed.clear();
    void client.invalidateQueries({ queryKey: [confirmationKey] });
  }

  const { run, isRunning } = useAction(async () => {
    await perform(routes.resendConfirmation, {}).then(
      () => notifications.show({ message: 'A new link is on its way; earlier ones no longer work.' }),
      (error: unknown) => {
        tell(toApiError(error));
        throw error;
      },
    );
  });

  return (
    <Anchor component="button" type="button" inherit disabled={isRunning} onClick={() => void run(undefined)}>
      have it sent again
    </Anchor>
  );
}
