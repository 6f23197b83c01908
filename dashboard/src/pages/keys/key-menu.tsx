import { lazy } from 'react';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { LateMenu } from '../../components/overlays/late-menu.tsx';
import { orReload } from '../../lib/or-reload.ts';
import { KeyMenuButton } from './key-menu-button.tsx';
import { isEnded } from './key-status.ts';

const load = orReload(() => import('./key-popup.tsx'));
const KeyPopup = lazy(load);

/** The actions of a key that has not ended. */
export function KeyMenu({ apiKey }: { apiKey: KeyRecord }) {
  if (isEnded(apiKey.status)) return null;
  return (
    <LateMenu
      load={load}
      button={(props) => <KeyMenuButton name={apiKey.name} {...props} />}
      menu={(props) => <KeyPopup apiKey={apiKey} {...props} />}
    />
  );
}
