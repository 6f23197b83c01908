import { Button, Group, Stack } from '@mantine/core';
import { CopyButton } from '../../../components/elements/copy-button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import css from '../webhooks.module.css';

/** A new secret; it is shown only once. */
export function ShownSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Notice tone="warning" icon="keys">
        This secret is shown only once. Your server verifies with it that requests come from here.
      </Notice>
      <output className={css.secret} aria-label="Secret">
        {secret}
      </output>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
        <CopyButton value={secret} what="secret" worded />
      </Group>
    </Stack>
  );
}
