import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { type Action, useAction } from '../api/actions.ts';
import { perform } from '../api/call.ts';
import { useConfig } from '../api/config.ts';
import { toApiError } from '../api/response.ts';
import { Notice } from './notice.tsx';
import { notify } from './notifications.tsx';

/** Resends the confirmation email and shows the result in a notification. */
export function useResend(): Action<undefined, void> {
  const client = useQueryClient();

  /** Reloads the user if the address has been confirmed elsewhere. */
  function explain(thrown: unknown): void {
    const { code, message } = toApiError(thrown);
    const isConfirmed = code === 'INVALID_STATE';
    if (isConfirmed) void client.invalidateQueries({ queryKey: [accountRoutes.me.id] });
    notify({ message, color: isConfirmed ? 'pine' : 'red' });
  }

  return useAction(() =>
    perform(accountRoutes.resendConfirmation, {}).then(
      () => notify({ message: t`Email sent. Earlier links no longer work.` }),
      (error: unknown) => {
        explain(error);
        throw error;
      },
    ),
  );
}

export function ResendConfirmation() {
  const { run, isRunning } = useResend();
  return (
    <Anchor component="button" type="button" inherit disabled={isRunning} onClick={() => void run(undefined)}>
      <Trans>resend the email</Trans>
    </Anchor>
  );
}

interface UnconfirmedProps {
  readonly email: string;
  /** Actions that require a confirmed email address. */
  readonly permits?: string;
}

export function Unconfirmed({ email, permits = t`create API keys` }: UnconfirmedProps) {
  const { local } = useConfig();
  return (
    <Notice
      tone="warning"
      icon="mail"
      actions={
        local && (
          <a href="/_local/inbox">
            <Trans>Open local inbox</Trans>
          </a>
        )
      }
    >
      <Trans>
        Confirm your email to {permits}. Open the link sent to {email}, or <ResendConfirmation />.
      </Trans>
    </Notice>
  );
}
