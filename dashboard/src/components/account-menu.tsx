import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { routes } from '#contract/routes.ts';
import { perform } from '../api/call.ts';
import { useMe } from '../api/reads.ts';
import { useAction } from '../api/use-data.ts';
import { Icon } from './icon.tsx';
import css from './sidebar.module.css';

export function AccountMenu() {
  const { data: me } = useMe();
  const [, go] = useLocation();
  const client = useQueryClient();
  const signOut = useAction(() => perform(routes.logout, {}));

  async function leave(): Promise<void> {
    await signOut.run(undefined);
    client.clear();
    go('/login');
  }

  return (
    <Menu position="top-start" width={220} withinPortal>
      <Menu.Target>
        <UnstyledButton className={css.account}>
          <span className={css.initial} aria-hidden="true">
            {(me?.name ?? ' ').slice(0, 1).toUpperCase()}
          </span>
          <span style={{ minWidth: 0 }}>
            <VisuallyHidden>Account of</VisuallyHidden>
            <Text size="sm" fw={600} truncate>
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
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
