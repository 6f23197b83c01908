import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useConfig } from '../../api/surroundings.ts';
import { Panel } from '../../components/panel.tsx';
import { GoogleSignIn } from '../auth/google-sign-in.tsx';

/** Links the Google account of the same address, so that either way of signing in works. */
export function GooglePanel() {
  const { googleClientId, local } = useConfig();
  return (
    <Panel title="Sign in with Google">
      {googleClientId === null && !local ? (
        <Text size="sm" c="dimmed">
          This service is not set up for Google.
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            Link the Google account of your e-mail address, and you can sign in either way.
          </Text>
          <GoogleSignIn isLinking onDone={() => notifications.show({ message: 'Google is linked to this account.' })} />
        </>
      )}
    </Panel>
  );
}
