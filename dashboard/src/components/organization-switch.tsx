import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type ComponentPropsWithRef, lazy } from 'react';
import { documentOrganization } from '../api/account.ts';
import { useOrganization } from '../api/organizations.ts';
import { orReload } from '../lib/load.ts';
import { Icon } from './icon.tsx';
import css from './organization-switch.module.css';
import { LateMenu } from './overlays.tsx';
import { roleTitles } from './roles.tsx';

const load = orReload(() => import('./organization-popup.tsx'));
const OrganizationPopup = lazy(load);

/** Shows the document's organization and opens the list of others. */
export default function OrganizationSwitch() {
  return (
    <LateMenu
      load={load}
      button={(props) => <SwitchButton {...props} />}
      menu={(props) => <OrganizationPopup {...props} button={<SwitchButton autoFocus />} />}
    />
  );
}

function SwitchButton(props: ComponentPropsWithRef<'button'>) {
  const organization = useOrganization();
  const name = organization?.name ?? documentOrganization()?.name ?? '';
  return (
    <UnstyledButton {...props} className={css.switch}>
      <span className={css.mark} aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span style={{ minWidth: 0 }}>
        <VisuallyHidden>
          <Trans>Organization</Trans>
        </VisuallyHidden>
        <Text size="sm" fw={600} truncate dir="auto" title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate mih="1.55em">
          {organization && (organization.isPersonal ? t`Personal` : roleTitles[organization.role])}
        </Text>
      </span>
      <Icon name="swap" size={16} />
    </UnstyledButton>
  );
}
