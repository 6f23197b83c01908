import { Group, Text } from '@mantine/core';
import { Logo } from './logo.tsx';

export function Wordmark() {
  return (
    <Group gap={10} wrap="nowrap">
      <Logo />
      <Text component="span" fw={680} fz="lg" lts="-0.02em">
        Text AI platform
      </Text>
    </Group>
  );
}
