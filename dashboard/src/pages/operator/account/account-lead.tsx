import { Badge, Group } from '@mantine/core';
import { CopyButton } from '../../../components/elements/copy-button.tsx';
import { planTitle } from '../../../lib/names.ts';
import type { Account } from './account.ts';

const colors = { active: 'pine', suspended: 'red', deleted: 'gray' } as const;

/** What must be known of an account at first sight. */
export function AccountLead({ account: { id, status, plan, role } }: { account: Account }) {
  return (
    <Group component="span" gap="xs">
      <Badge component="span" color={colors[status]}>
        {status.slice(0, 1).toUpperCase() + status.slice(1)}
      </Badge>
      <Badge component="span" color="gray">
        {planTitle(plan)}
      </Badge>
      {role === 'operator' && (
        <Badge component="span" color="yellow.8">
          Operator
        </Badge>
      )}
      <Group component="span" gap={4} wrap="nowrap">
        <span className="mono">{id}</span>
        <CopyButton value={String(id)} what="account ID" />
      </Group>
    </Group>
  );
}
