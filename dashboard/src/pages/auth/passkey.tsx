import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useAction } from '../../api/actions.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { beginSession } from '../../components/session.ts';
import { orReload } from '../../lib/load.ts';

const load = orReload(() => import('../../api/passkeys.ts'));

export function PasskeySignIn({ onDone }: { readonly onDone: () => void }) {
  const { run, isRunning, error } = useAction(async () => {
    await beginSession(await (await load()).signInWithPasskey());
    onDone();
  });
  return (
    <>
      <Button variant="default" fullWidth loading={isRunning} onClick={() => void run(undefined)}>
        <Trans>Sign in with a passkey</Trans>
      </Button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}
