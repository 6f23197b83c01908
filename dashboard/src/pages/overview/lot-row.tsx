import { Progress, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { Credits } from '#contract/billing/credits.ts';
import { formatDay, formatFromNow, formatWhole } from '../../lib/format.ts';
import { sourceTitles } from '../../lib/names.ts';
import css from './overview.module.css';

export type Lot = InferOutput<typeof Credits>['lots'][number];

/** One grant: what is left of it, and until when. */
export function LotRow({ lot, now }: { lot: Lot; now: number }) {
  const share = (100 * lot.remaining) / Math.max(lot.granted, 1);
  return (
    <li className={css.lot}>
      <div className={css.row}>
        <Text component="span" inherit fw={600}>
          {sourceTitles[lot.source]}
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
