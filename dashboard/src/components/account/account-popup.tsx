import { Menu } from '@mantine/core';
import { useLocation } from 'wouter';
import { useOpening } from '../../lib/hooks/use-opening.ts';
import { Icon } from '../elements/icon.tsx';
import { AccountButton } from './account-button.tsx';
import { useSignOut } from './use-sign-out.ts';

interface AccountPopupProps {
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
}

export default function AccountPopup({ isOpen, onChange }: AccountPopupProps) {
  const [, go] = useLocation();
  const opened = useOpening(isOpen);
  const signOut = useSignOut();

  return (
    <Menu position="top-start" width={220} withinPortal opened={opened} onChange={onChange}>
      <Menu.Target>
        <AccountButton autoFocus />
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
