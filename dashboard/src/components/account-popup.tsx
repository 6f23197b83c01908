import { Trans } from '@lingui/react/macro';
import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useOpening } from '../lib/focus.ts';
import { Icon } from './icon.tsx';
import type { MenuProps } from './overlays.tsx';
import { useSignOut } from './session.ts';

export default function AccountPopup({ button, isOpen, onChange }: MenuProps<ReactNode>) {
  const [, go] = useLocation();
  const opened = useOpening(isOpen);
  const signOut = useSignOut();

  return (
    <Menu position="top-start" width={220} withinPortal opened={opened} onChange={onChange}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="settings" size={16} />} onClick={() => go('/settings')}>
          <Trans>Settings</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="organization" size={16} />} onClick={() => go('/organization?new')}>
          <Trans>Create organization</Trans>
        </Menu.Item>
        <Menu.Divider role="separator" />
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={signOut}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
