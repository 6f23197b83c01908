import { Text } from '@mantine/core';
import { useUsage } from '../../api/reads.ts';
import { count, formatAbout, isUnlimited } from '../../lib/format.ts';
import { daysBetween, sum, totalsBy } from '../../lib/usage.ts';
import { daysLeft } from './pace.ts';

const manyDays = 730;

/** How long the balance lasts at the pace of the last 30 days. */
export function PaceLine({ balance }: { balance: number }) {
  const { data } = useUsage('service');
  const days = data && daysBetween(data.from, data.to);
  const [all] = data && days ? totalsBy(data.days, days, () => 'all') : [];
  const left = all && daysLeft(balance, all.perDay.credits);
  if (!all || left === undefined || isUnlimited(balance)) return null;
  const pace = formatAbout(
    sum(all.perDay.credits) / Math.max(1, all.perDay.credits.filter((spent) => spent > 0).length),
  );
  return (
    <Text size="sm" c="dimmed">
      At your current rate, your credits last {howLong(left)}. Average on days with calls: {pace} credits.
    </Text>
  );
}

function howLong(days: number): string {
  if (days > manyDays) return 'for years';
  return days < 1 ? 'less than a day' : `about ${count(days, 'day')}`;
}
