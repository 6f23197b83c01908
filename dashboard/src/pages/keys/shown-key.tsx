import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { Notice } from '../../components/notice.tsx';
import css from './shown-key.module.css';

interface ShownKeyProps {
  readonly apiKey: string;
  readonly onDone: () => void;
}

/** A key, the one time it is shown. */
export function ShownKey({ apiKey, onDone }: ShownKeyProps) {
  return (
    <Stack gap="md">
      <Notice tone="warning" icon="keys">
        This is the only time the key is shown: we keep no copy. Store it where your program reads it, not in code.
      </Notice>
      <output className={css.key} aria-label="Your new key">
        {apiKey}
      </output>
      <Text size="sm" c="dimmed">
        As an environment variable: <code className="mono">export API_KEY=…</code>
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          I have stored it
        </Button>
        <CopyButton value={apiKey} what="key" worded />
      </Group>
    </Stack>
  );
}
