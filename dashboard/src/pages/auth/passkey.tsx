import { Button, Stack } from '@mantine/core';
import { useAction } from '../../api/actions.ts';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { beginSession } from '../../components/session.ts';
import { orReload } from '../../lib/load.ts';

const load = orReload(() => import('../../api/passkeys.ts'));

export function PasskeySignIn({ onDone }: { readonly onDone: () => void }) {
  const { run, isRunning, error } = useAction(async () => {
    const user = await (await load()).signInWithPasskey();
    await beginSession(user);
    return user;
  });
  if (!canUsePasskeys()) return null;
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        fullWidth
        leftSection={<Icon name="keys" />}
        loading={isRunning}
        onClick={() => void run(undefined).then((user) => user && onDone())}
      >
        Sign in with a passkey
      </Button>
      {error && <ErrorNotice error={error} />}
    </Stack>
  );
}

/** Passkeys belong to a name, so they do not work at an IP address such as that of a local service. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname);
