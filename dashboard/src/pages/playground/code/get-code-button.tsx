import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Icon } from '../../../components/icon.tsx';
import { lateDialog } from '../../../lib/load.ts';
import type { CodeRequest } from './code-request.ts';

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
        Get code
      </Button>
      <GetCodeDialog request={request} isOpen={isOpen} onClose={close} />
    </>
  );
}
