import { Panel } from '../../../components/layout/panel.tsx';
import { creditCount, formatCredits, formatDay, formatWhole } from '../../../lib/format.ts';
import { serviceTitle } from '../../../lib/names.ts';
import type { Account } from './account.ts';
import { Facts } from './facts.tsx';

/** The meter: credits, calls and their limits in the month that runs. */
export function MeterPanel({ account }: { account: Account }) {
  const { credits, calls, period, used } = account;
  const { perMinute, perMonth } = calls;
  return (
    <Panel title="Meter">
      <Facts
        facts={[
          ['Spendable', formatCredits(credits.spendable)],
          ['Held', formatCredits(credits.held)],
          ['Concurrent calls', `${formatWhole(calls.running)} of ${formatWhole(calls.maxRunning)}`],
          [
            'Calls in a minute',
            perMinute === null
              ? 'No limit'
              : `${formatWhole(perMinute.remaining)} of ${formatWhole(perMinute.limit)} left`,
          ],
          [
            'Calls this month',
            perMonth === null
              ? formatWhole(calls.thisMonth)
              : `${formatWhole(calls.thisMonth)} of ${formatWhole(perMonth)}`,
          ],
          ['Month', `${formatDay(period.from)} – ${formatDay(period.to)}`],
          ...used.map(({ service, credits: spent }): [string, string] => [
            serviceTitle(service),
            creditCount(spent, formatCredits),
          ]),
        ]}
      />
    </Panel>
  );
}
