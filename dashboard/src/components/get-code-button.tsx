import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { CodeRequest } from '../lib/code/code-request.ts';
import { lateDialog } from '../lib/load.ts';
import { Icon } from './icon.tsx';

const GetCodeDialog = lateDialog(async () => (await import('./get-code-dialog.tsx')).GetCodeDialog);

interface GetCodeButtonProps {
  /** Returns the request to generate code for. Called when the dialog opens. */
  readonly request: () => CodeRequest;
}

export function GetCodeButton({ request }: GetCodeButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" px={10} variant="default" leftSection={<Icon name="code" size={16} />} onClick={open}>
        <Trans>Get code</Trans>
      </Button>
      <GetCodeDialog request={request} isOpen={isOpen} onClose={close} />
    </>
  );
}
