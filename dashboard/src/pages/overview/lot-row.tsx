import { Progress, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { Credits } from '#contract/billing/credits.ts';
import { formatDay, formatFromNow, formatWhole } from '../../lib/format.ts';
import css from './overview.module.css';

export type Lot = InferOutput<typeof Credits>['lots'][number];

const sources: Readonly<Record<Lot['source'], string>> = {
  plan: 'Plan credits',
  free: 'Freemium credits',
  purchase: 'Granted credits',
};

/** One grant: what is left of it, and until when. */
export function LotRow({ lot, now }: { lot: Lot; now: number }) {
  const share = (100 * lot.remaining) / Math.max(lot.granted, 1);
  return (
    <li className={css.lot}>
      <div className={css.row}>
        <Text component="span" inherit fw={600}>
          {sources[lot.source]}
        </Text>
        <span className="number">
          {formatWhole(lot.remaining)} of {formatWhole(lot.granted)}
        </span>
      </div>
      <Progress value={share} size={6} aria-label={`Remaining: ${Math.round(share)}%`} />
      <Text size="xs" c="dimmed">
        Expires {formatFromNow(lot.expiresAt, now)}, on {formatDay(lot.expiresAt)}
      </Text>
    </li>
  );
}
