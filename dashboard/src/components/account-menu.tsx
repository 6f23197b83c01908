import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useLocation } from 'wouter';
import { useMe } from '../api/reads.ts';
import { Icon } from './icon.tsx';
import css from './sidebar.module.css';
import { useSignOut } from './use-sign-out.ts';

export function AccountMenu() {
  const { data: me } = useMe();
  const [, go] = useLocation();
  const signOut = useSignOut();

  return (
    <Menu position="top-start" width={220} withinPortal>
      <Menu.Target>
        <UnstyledButton className={css.account}>
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
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="settings" size={16} />} onClick={() => go('/settings')}>
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
