import { Anchor, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icon.tsx';
import css from './page.module.css';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** Explains how to add the first item. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <span className={css.mark}>
        <Icon name={icon} size={22} />
      </span>
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" maw="28rem">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

export function PlaygroundLink() {
  return (
    <Anchor component={Link} href="/playground" size="sm" fw={600}>
      Open the playground
    </Anchor>
  );
}
