import { Text } from '@mantine/core';
import { useConfig } from '../../api/config.ts';
import { notify } from '../../components/feedback/notifications.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { GoogleSignIn } from '../auth/google/google-sign-in.tsx';

/** Links the Google account of the same address, so that either way of signing in works. */
export function GooglePanel() {
  const { googleClientId, local } = useConfig();
  return (
    <Panel title="Sign in with Google">
      {googleClientId === null && !local ? (
        <Text size="sm" c="dimmed">
          Google sign-in is not configured.
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            Link the Google account with your email address to sign in either way.
          </Text>
          <GoogleSignIn
            label="Link Google"
            onDone={() => notify({ message: 'Google account linked. All other sessions are signed out.' })}
          />
        </>
      )}
    </Panel>
  );
}
