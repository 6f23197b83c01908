import { useConfig } from '../../api/surroundings.ts';
import { Notice } from '../../components/notice.tsx';
import { ResendConfirmation } from '../../components/resend-confirmation.tsx';

/** Until the address is confirmed, there are no keys and no plans. */
export function Unconfirmed({ email }: { email: string }) {
  const { local } = useConfig();
  return (
    <Notice tone="warning" icon="mail" actions={local && <a href="/_local/inbox">Open this machine's inbox</a>}>
      Confirm your e-mail address to make API keys: open the link in the mail to {email}, or <ResendConfirmation />.
    </Notice>
  );
}
