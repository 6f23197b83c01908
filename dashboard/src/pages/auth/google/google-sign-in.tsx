import { Divider, Stack } from '@mantine/core';
import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { call } from '../../../api/call.ts';
import { useConfig } from '../../../api/config.ts';
import { beginSession } from '../../../api/session.ts';
import { useAction } from '../../../api/use-data.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { GoogleToken } from './google-token.tsx';

interface GoogleSignInProps {
  readonly onDone: () => void;
  /** Of the button, for a user who is signed in; absent where it is another way than the form before it. */
  readonly label?: string;
}

/** Signing in with Google where it is configured; on one machine the local issuer stands in. */
export function GoogleSignIn({ onDone, label }: GoogleSignInProps) {
  const { googleClientId, local } = useConfig();
  const { run, error } = useAction(
    async (token: string) => {
      const user = await call(signInRoutes.loginWithGoogle, { body: { token } });
      await beginSession(user);
      return user;
    },
    [signInRoutes.listSessions],
  );
  const enter = (token: string) => void run(token).then((user) => user && onDone());
  if (googleClientId === null && !local) return null;
  return (
    <Stack gap="sm">
      {label === undefined && <Divider label="or" />}
      <GoogleToken label={label ?? 'Continue with Google'} onToken={enter} />
      {error?.code === 'IDENTITY_NOT_LINKED' ? (
        <Notice tone="warning">
          This email has an account with a password. Sign in with the password, then link Google in Settings.
        </Notice>
      ) : (
        error && <ErrorNotice error={error} />
      )}
    </Stack>
  );
}
