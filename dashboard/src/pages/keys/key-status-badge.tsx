import { Badge } from '@mantine/core';

const colors: ReadonlyMap<string, string> = new Map([
  ['active', 'pine'],
  ['suspended', 'yellow.8'],
  ['unreadable', 'red.8'],
]);

/** A status that this page does not know is shown as it is. */
export function KeyStatusBadge({ status }: { status: string }) {
  const word = status.slice(0, 1).toUpperCase() + status.slice(1);
  return <Badge color={colors.get(status) ?? 'gray'}>{word}</Badge>;
}
