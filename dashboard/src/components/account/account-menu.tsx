import { lazy } from 'react';
import { orReload } from '../../lib/or-reload.ts';
import { LateMenu } from '../overlays/late-menu.tsx';
import { AccountButton } from './account-button.tsx';

const load = orReload(() => import('./account-popup.tsx'));
const AccountPopup = lazy(load);

export function AccountMenu() {
  return (
    <LateMenu
      load={load}
      button={(props) => <AccountButton {...props} />}
      menu={(props) => <AccountPopup {...props} />}
    />
  );
}
