import { Button, Skeleton, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { PackList } from '#contract/payments/payments.ts';
import { useNow } from '../../api/config.ts';
import { useCheckout, usePacks } from '../../api/payments.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { creditCount, formatCents, formatDay } from '../../lib/format.ts';
import { lastDayOf } from '../../lib/payment-text.ts';
import css from './billing.module.css';

type Pack = InferOutput<typeof PackList>['items'][number];

/** Packs of credits with a button to buy each. */
export function Packs() {
  const { data, error, refetch } = usePacks();
  const checkout = useCheckout();
  const now = useNow();
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={132} radius="md" />;
  return (
    <Stack gap="sm">
      {checkout.error && <ErrorNotice error={checkout.error} />}
      <ul className={css.packs}>
        {data.items.map((pack) => (
          <PackCard key={pack.id} pack={pack} now={now} isLeaving={checkout.isRunning} onBuy={checkout.run} />
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        You pay on a page of our payment provider, which may add taxes. Bought credits stay when a plan ends.
      </Text>
    </Stack>
  );
}

interface PackCardProps {
  readonly pack: Pack;
  readonly now: number;
  readonly isLeaving: boolean;
  readonly onBuy: (purchase: { pack: string }) => Promise<unknown>;
}

function PackCard({ pack: { id, credits, amount, validMonths }, now, isLeaving, onBuy }: PackCardProps) {
  const price = formatCents(amount);
  return (
    <li className={css.pack}>
      <div>
        <Text fw={600}>{creditCount(credits)}</Text>
        <Text size="sm" c="dimmed">
          Valid until {formatDay(lastDayOf(validMonths, now))}
        </Text>
      </div>
      <Text className={css.price}>{price}</Text>
      <Button
        fullWidth
        disabled={isLeaving}
        onClick={() => void onBuy({ pack: id })}
        aria-label={`Buy ${creditCount(credits)} for ${price}`}
      >
        Buy
      </Button>
    </li>
  );
}
