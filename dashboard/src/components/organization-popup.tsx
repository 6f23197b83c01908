import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Menu, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { type OrganizationRecord, useOrganization, useOrganizations } from '../api/organizations.ts';
import { useOpening } from '../lib/focus.ts';
import { Icon } from './icon.tsx';
import type { MenuProps } from './overlays.tsx';
import { roleTitles } from './roles.tsx';
import { switchOrganization } from './switch-organization.ts';

export default function OrganizationPopup({ button, isOpen, onChange }: MenuProps<ReactNode>) {
  const [, go] = useLocation();
  const { data: organizations = [] } = useOrganizations();
  const current = useOrganization();
  return (
    <Menu position="bottom-start" width={240} withinPortal opened={useOpening(isOpen)} onChange={onChange}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown mah="70dvh" style={{ overflowY: 'auto' }}>
        <Menu.Label>
          <Trans>Organizations</Trans>
        </Menu.Label>
        {organizations.map((organization) => (
          <OrganizationItem
            key={organization.id}
            organization={organization}
            isCurrent={organization.id === current?.id}
            onOpen={() => void switchOrganization(organization)}
          />
        ))}
        <Menu.Divider role="separator" />
        <Menu.Item leftSection={<Icon name="organization" size={16} />} onClick={() => go('/organization')}>
          <Trans>Manage organization</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => go('/organization?new')}>
          <Trans>Create organization</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface OrganizationItemProps {
  readonly organization: OrganizationRecord;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

function OrganizationItem({ organization: { name, role, isPersonal }, isCurrent, onOpen }: OrganizationItemProps) {
  return (
    <Menu.Item
      aria-current={isCurrent}
      rightSection={isCurrent && <Icon name="check" size={16} />}
      onClick={isCurrent ? undefined : onOpen}
      styles={{ itemLabel: { minWidth: 0 } }}
    >
      <Text inherit truncate dir="auto">
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {isPersonal ? t`Personal` : roleTitles[role]}
      </Text>
    </Menu.Item>
  );
}
