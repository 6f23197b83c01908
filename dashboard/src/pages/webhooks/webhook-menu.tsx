import { lazy } from 'react';
import { LateMenu } from '../../components/overlays/late-menu.tsx';
import { orReload } from '../../lib/or-reload.ts';
import { WebhookMenuButton } from './webhook-menu-button.tsx';
import { titleOf, type WebhookRecord } from './webhook.tsx';

const load = orReload(() => import('./webhook-popup.tsx'));
const WebhookPopup = lazy(load);

/** The actions of a webhook. */
export function WebhookMenu({ webhook }: { webhook: WebhookRecord }) {
  return (
    <LateMenu
      load={load}
      button={(props) => <WebhookMenuButton title={titleOf(webhook)} {...props} />}
      menu={(props) => <WebhookPopup webhook={webhook} {...props} />}
    />
  );
}
