import { Button } from '@mantine/core';
import { useConfig } from '../../api/config.ts';
import { Icon } from './icon.tsx';

/** On one machine mails are not sent: they are read here. */
export function InboxLink() {
  if (!useConfig().local) return null;
  return (
    <Button component="a" href="/_local/inbox" size="md" leftSection={<Icon name="mail" />}>
      Open local inbox
    </Button>
  );
}
