import { useConfig } from '../../../api/config.ts';
import { useMe } from '../../../api/reads.ts';
import { ResendConfirmation } from '../../../components/account/resend-confirmation.tsx';

/** Where the link is. On one machine the step's button opens the inbox, so the way to another email is here. */
export function ConfirmText() {
  const { local } = useConfig();
  const { data: me } = useMe();
  return (
    <>
      Required for API keys and plans. Open the link sent to {me?.email}
      {local && (
        <>
          , or <ResendConfirmation />
        </>
      )}
      .
    </>
  );
}
