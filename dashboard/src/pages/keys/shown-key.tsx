import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import css from './shown-key.module.css';

interface ShownKeyProps {
  readonly apiKey: string;
  readonly onDone: () => void;
}

/** A new key; it is shown only once. */
export function ShownKey({ apiKey, onDone }: ShownKeyProps) {
  return (
    <Stack gap="md">
      <Notice tone="warning" icon="keys">
        This key is shown only once. Store it in a secret manager or an environment variable, not in code.
      </Notice>
      <output className={css.key} aria-label="New API key">
        {apiKey}
      </output>
      <Text size="sm" c="dimmed">
        As an environment variable: <code className="mono">export API_KEY=…</code>
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
        <CopyButton value={apiKey} what="key" worded />
      </Group>
    </Stack>
  );
}
