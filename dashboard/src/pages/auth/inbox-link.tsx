import { Button } from '@mantine/core';
import { useConfig } from '../../api/config.ts';
import { Icon } from '../../components/icon.tsx';

/** A link to the emails of the local service, which sends none. */
export function InboxLink() {
  if (!useConfig().local) return null;
  return (
    <Button component="a" href="/_local/inbox" size="md" leftSection={<Icon name="mail" />}>
      Open local inbox
    </Button>
  );
}
