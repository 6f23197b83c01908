import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../elements/icon.tsx';
import css from './empty.module.css';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What to do about it. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** The empty state of a list: what will be here, and how to get it. */
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
