import { Text } from '@mantine/core';

/** Beside the button that begins a job: nobody knows yet what it is charged at most. */
export const LongHint = () => (
  <Text size="sm" c="dimmed">
    The most that the file may cost is charged when the transcription begins; what is not used is refunded.
  </Text>
);
