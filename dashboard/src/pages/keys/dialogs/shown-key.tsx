import { Text } from '@mantine/core';
import type { SecretKind } from '../../../components/overlays/secret-dialog.tsx';

export const shownKey: SecretKind = {
  what: 'key',
  label: 'New API key',
  notice: 'This key is shown only once. Store it in a secret manager or an environment variable, not in code.',
  hint: (
    <Text size="sm" c="dimmed">
      As an environment variable: <code className="mono">export API_KEY=…</code>
    </Text>
  ),
};
