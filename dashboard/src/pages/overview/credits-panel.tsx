import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import type { Credits } from '#contract/billing/credits.ts';
import { useNow, useSellsCredits } from '../../api/config.ts';
import { useMay } from '../../api/organizations.ts';
import { useCredits, useUsage } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { creditCount, formatAbout, formatDay, formatFromNow, formatWhole, isUnlimited } from '../../lib/format.ts';
import { sourceTitles } from '../../lib/offer.ts';
import { daysBetween, sum, totalsBy } from '../../lib/usage.ts';
import css from './overview.module.css';

export function CreditsPanel() {
  const { data, error, refetch } = useCredits();
  const now = useNow();
  const sellsCredits = useSellsCredits();
  const mayBill = useMay('bill');
  const held = data && data.held > 0 && (
    <Text size="sm" c="dimmed">
      <Trans>{{ credits: formatWhole(data.held) }} reserved by running calls</Trans>
    </Text>
  );
  return (
    <Panel
      title={t`Credits`}
      aside={
        held || (
          <Group gap="md">
            {sellsCredits && mayBill && (
              <Anchor component={Link} href="/billing" size="sm">
                <Trans>Buy credits</Trans>
              </Anchor>
            )}
            <Anchor component={Link} href="/usage" size="sm">
              <Trans>View usage</Trans>
            </Anchor>
          </Group>
        )
      }
    >
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={208} radius="md" />}
      {data && (
        <div className={css.credits}>
          <Gauge left={data.balance} granted={data.lots.reduce((sum, lot) => sum + lot.granted, 0)} />
          <Stack gap="md">
            {data.lots.length === 0 ? (
              <Text size="sm" c="dimmed">
                {sellsCredits
                  ? t`No credits left. New credits come with the next billing month, or immediately with a larger plan or a purchase.`
                  : t`No credits left. New credits come with the next billing month, or immediately with a larger plan.`}
              </Text>
            ) : (
              <ul className={css.lots}>
                {data.lots.map((lot) => (
                  <LotRow key={`${lot.expiresAt}-${lot.source}-${lot.granted}`} lot={lot} now={now} />
                ))}
              </ul>
            )}
            <PaceLine balance={data.balance} />
          </Stack>
        </div>
      )}
    </Panel>
  );
}

interface GaugeProps {
  readonly left: number;
  readonly granted: number;
}

const radius = 84;
const length = Math.PI * radius;
const arc = `M 16 100 A ${radius} ${radius} 0 0 1 184 100`;

/** Chooses the plural after "Unlimited". */
const manyCredits = 100;

function Gauge({ left, granted }: GaugeProps) {
  const share = Math.max(0, Math.min(1, left / Math.max(granted, 1)));
  const color = share < 0.1 ? 'var(--amber)' : 'var(--accent)';
  return (
    <div className={css.gauge}>
      <svg viewBox="0 0 200 112" aria-hidden="true" focusable="false">
        <path d={arc} fill="none" stroke="var(--line)" strokeWidth="15" strokeLinecap="round" />
        {share > 0 && (
          <path
            d={arc}
            fill="none"
            stroke={color}
            strokeWidth="15"
            strokeLinecap="round"
            strokeDasharray={`${share * length} ${length * 2}`}
          />
        )}
      </svg>
      <div className={css.reading}>
        <div className={`${css.balance} number`}>{formatWhole(left)}</div>
        <Text size="sm" c="dimmed">
          {granted > 0
            ? t`of ${{ granted: formatWhole(granted) }} granted`
            : plural(
                { count: isUnlimited(left) ? manyCredits : Math.round(left) },
                {
                  one: 'credit left',
                  other: 'credits left',
                },
              )}
        </Text>
      </div>
    </div>
  );
}

type Lot = InferOutput<typeof Credits>['lots'][number];

function LotRow({ lot, now }: { lot: Lot; now: number }) {
  const sellsCredits = useSellsCredits();
  const mayBill = useMay('bill');
  // Operators grant credits too.
  const isMixed = sellsCredits && lot.source === 'purchase';
  const title = isMixed ? t`Bought or granted credits` : sourceTitles[lot.source];
  const share = (100 * lot.remaining) / Math.max(lot.granted, 1);
  const [remaining, granted] = [formatWhole(lot.remaining), formatWhole(lot.granted)];
  const [when, day] = [formatFromNow(lot.expiresAt, now), formatDay(lot.expiresAt)];
  return (
    <li className={css.lot}>
      <div className={css.row}>
        <Text component="span" inherit fw={600}>
          {title}
        </Text>
        <span className="number">
          <Trans>
            {remaining} of {granted}
          </Trans>
        </span>
      </div>
      <Progress value={share} size={6} aria-label={t`Remaining: ${{ percent: Math.round(share) }}%`} />
      <Text size="xs" c="dimmed">
        <Trans>
          Expires {when}, on {day}
        </Trans>
        {isMixed && mayBill && (
          <>
            {' · '}
            <Anchor component={Link} href="/billing" inherit underline="always">
              <Trans>View payments</Trans>
            </Anchor>
          </>
        )}
      </Text>
    </li>
  );
}

const manyDays = 730;

/** Estimates how long the balance lasts at the rate of the last 30 days. */
function PaceLine({ balance }: { balance: number }) {
  const { data } = useUsage('service');
  const days = data && daysBetween(data.from, data.to);
  const [all] = data && days ? totalsBy(data.days, days, () => 'all') : [];
  const left = all && daysLeft(balance, all.perDay.credits);
  if (!all || left === undefined || isUnlimited(balance)) return null;
  const pace = creditCount(
    sum(all.perDay.credits) / Math.max(1, all.perDay.credits.filter((spent) => spent > 0).length),
    formatAbout,
  );
  return (
    <Text size="sm" c="dimmed">
      {paceText(left)} <Trans>Average on days with calls: {pace}.</Trans>
    </Text>
  );
}

function paceText(days: number): string {
  if (days > manyDays) return t`At your current rate, your credits last for years.`;
  if (days < 1) return t`At your current rate, your credits last less than a day.`;
  return plural(days, {
    one: 'At your current rate, your credits last about # day.',
    other: 'At your current rate, your credits last about # days.',
  });
}

/** Days that a balance lasts at the average rate since the first call, or undefined without calls. Oldest day first. */
function daysLeft(balance: number, perDay: readonly number[]): number | undefined {
  const first = perDay.findIndex((credits) => credits > 0);
  if (first === -1) return undefined;
  const days = perDay.slice(first);
  const pace = days.reduce((sum, credits) => sum + credits, 0) / days.length;
  return Math.floor(balance / pace);
}
