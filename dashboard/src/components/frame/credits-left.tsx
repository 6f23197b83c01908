import { Progress, Skeleton, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useCredits } from '../../api/reads.ts';
import { formatWhole, isUnlimited } from '../../lib/format.ts';
import css from './sidebar.module.css';

/** The balance, on every page. */
export function CreditsLeft() {
  const { data } = useCredits();
  if (!data) return <Skeleton height={62} radius="md" />;
  const granted = data.lots.reduce((sum, lot) => sum + lot.granted, 0);
  const share = isUnlimited(data.balance) ? 100 : (100 * data.balance) / Math.max(granted, 1);
  return (
    <Link href="/" className={css.credits}>
      <span>
        <Text component="span" inherit fw={650} className="number">
          {formatWhole(data.balance)}
        </Text>{' '}
        <Text component="span" inherit c="dimmed">
          {formatWhole(data.balance) === '1' ? 'credit left' : 'credits left'}
        </Text>
      </span>
      <Progress value={share} size={5} aria-label="Share of credits left" color={share < 10 ? 'red.6' : 'pine'} />
    </Link>
  );
}
