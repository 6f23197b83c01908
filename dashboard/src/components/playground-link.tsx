import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

export function PlaygroundLink() {
  return (
    <Anchor component={Link} href="/playground" size="sm" fw={600}>
      Make one in the playground
    </Anchor>
  );
}
