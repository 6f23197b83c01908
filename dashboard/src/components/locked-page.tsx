import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useIsLocked, useMembers } from '../api/members.ts';
import { useSharedOrganization } from '../api/organizations.ts';
import { PageSkeleton } from './boundary.tsx';
import { Notice, TwoStepLink } from './notice.tsx';
import { Page } from './page.tsx';

/**
 * Shows how to regain access, in place of a page, if the organization refuses the session. Only a request can find this
 * out, because an organization accepts a session that began with a passkey.
 */
export default function LockedPage({ children }: { children: ReactNode }) {
  const { isPending } = useMembers();
  const isLocked = useIsLocked();
  const name = useSharedOrganization()?.name ?? '';
  if (isPending) return <PageSkeleton />;
  if (!isLocked) return children;
  return (
    <Page title={t`Two-step sign-in required`}>
      <Notice
        tone="warning"
        icon="organization"
        actions={
          <>
            <TwoStepLink />
            <Link href="/organization">
              <Trans>View organization</Trans>
            </Link>
          </>
        }
      >
        <LockedText name={name} />
      </Notice>
    </Page>
  );
}

export const LockedText = ({ name }: { name: string }) => (
  <Trans>
    To use {name}, set up an authenticator app, or add a passkey and sign in with it. Your API keys continue to work.
  </Trans>
);
