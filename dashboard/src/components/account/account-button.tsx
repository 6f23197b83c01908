import { Text, UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { useMe } from '../../api/reads.ts';
import css from './account-button.module.css';

/** Names who is signed in, and opens the account's menu. */
export function AccountButton(props: UnstyledButtonProps & ComponentPropsWithRef<'button'>) {
  const { data: me } = useMe();
  return (
    <UnstyledButton {...props} className={css.account}>
      <span className={css.initial} aria-hidden="true">
        {(me?.name ?? ' ').slice(0, 1).toUpperCase()}
      </span>
      <span style={{ minWidth: 0 }}>
        <VisuallyHidden>Account of</VisuallyHidden>
        <Text size="sm" fw={600} truncate dir="auto">
          {me?.name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {me?.email}
        </Text>
      </span>
    </UnstyledButton>
  );
}
