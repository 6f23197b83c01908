import { Text } from '@mantine/core';

/** Beside the button that begins a job: nobody knows yet what it is charged at most. */
export const LongHint = () => (
  <Text size="sm" c="dimmed">
    The maximum cost of the file is charged when the transcription starts; what is not used is refunded.
  </Text>
);
