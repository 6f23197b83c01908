import { SimpleGrid, Stack } from '@mantine/core';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { formatStamp } from '../../../../lib/format.ts';
import type { Account } from '../account.ts';
import { CreditsPanel } from './credits-panel.tsx';
import { HoldsPanel } from './holds-panel.tsx';
import { MeterPanel } from './meter-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';

/** Profile, plan, credits and calls. */
export function AccountOverview({ account }: { account: Account }) {
  const { suspendedAt, deletedAt } = account;
  return (
    <Stack gap="lg">
      {deletedAt !== null && (
        <Notice tone="info">Deleted on {formatStamp(deletedAt)}. Its data is purged 30 days later.</Notice>
      )}
      {deletedAt === null && suspendedAt !== null && (
        <Notice tone="warning">
          Suspended on {formatStamp(suspendedAt)}. API keys are rejected and sign-in is disabled. See the audit trail
          for the reason.
        </Notice>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <ProfilePanel account={account} />
        <MeterPanel account={account} />
      </SimpleGrid>
      <CreditsPanel account={account} />
      {account.holds.length > 0 && <HoldsPanel account={account} />}
    </Stack>
  );
}
