import { Badge } from '@mantine/core';
import type { KeyStatus } from '#contract/keys.ts';

const looks: Readonly<Record<KeyStatus, { color: string; word: string }>> = {
  active: { color: 'pine', word: 'Active' },
  suspended: { color: 'yellow.8', word: 'Suspended' },
  revoked: { color: 'gray', word: 'Revoked' },
  expired: { color: 'gray', word: 'Expired' },
};

export function KeyStatusBadge({ status }: { status: KeyStatus }) {
  return <Badge color={looks[status].color}>{looks[status].word}</Badge>;
}
