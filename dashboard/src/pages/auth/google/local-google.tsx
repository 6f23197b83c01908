import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lateDialog } from '../../../components/overlays/late.tsx';
import { GoogleMark } from './google-mark.tsx';

const LocalGoogleDialog = lateDialog(async () => (await import('./local-google-dialog.tsx')).LocalGoogleDialog);

/** Stands in for Google on one machine; its dialog is loaded when it is opened. */
export function LocalGoogle({ onToken, label }: { onToken: (token: string) => void; label: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" fullWidth leftSection={<GoogleMark />} onClick={open}>
        {label}
      </Button>
      <LocalGoogleDialog isOpen={isOpen} onClose={close} onToken={onToken} />
    </>
  );
}
