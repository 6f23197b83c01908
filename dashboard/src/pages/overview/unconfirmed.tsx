import { useConfig } from '../../api/config.ts';
import { ResendConfirmation } from '../../components/account/resend-confirmation.tsx';
import { Notice } from '../../components/feedback/notice.tsx';

export function Unconfirmed({ email }: { email: string }) {
  const { local } = useConfig();
  return (
    <Notice tone="warning" icon="mail" actions={local && <a href="/_local/inbox">Open local inbox</a>}>
      Confirm your email to create API keys. Open the link sent to {email}, or <ResendConfirmation />.
    </Notice>
  );
}
