import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

export function PlaygroundLink() {
  return (
    <Anchor component={Link} href="/playground" size="sm" fw={600}>
      Open the playground
    </Anchor>
  );
}
