import { Group, Text } from '@mantine/core';
import { useMe } from '../../../api/reads.ts';
import type { Account } from '../account/account.ts';
import { AssignPlan } from './assign-plan.tsx';
import { GrantCredits } from './grant-credits.tsx';
import { Resume, Suspend } from './suspend.tsx';

/** What can be done to the account: nothing to one that is deleted, nor to one's own. */
export function ActionButtons({ account }: { account: Account }) {
  const { data: me } = useMe();
  if (account.status === 'deleted') return null;
  if (account.id === me?.id)
    return (
      <Text size="sm" c="dimmed">
        This is your account. Only another operator can change it.
      </Text>
    );
  return (
    <Group gap="xs">
      <GrantCredits account={account} />
      <AssignPlan account={account} />
      {account.status === 'suspended' ? <Resume account={account} /> : <Suspend account={account} />}
    </Group>
  );
}
