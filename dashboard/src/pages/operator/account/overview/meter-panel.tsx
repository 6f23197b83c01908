import { Detail, Details } from '../../../../components/elements/details.tsx';
import { Panel } from '../../../../components/layout/panel.tsx';
import { creditCount, formatCredits, formatDay, formatWhole } from '../../../../lib/format.ts';
import { serviceTitle } from '../../../../lib/names.ts';
import type { Account } from '../account.ts';

/** The meter: credits, calls and their limits in the month that runs. */
export function MeterPanel({ account }: { account: Account }) {
  const { credits, calls, period, used } = account;
  const { perMinute, perMonth } = calls;
  return (
    <Panel title="Credits">
      <Details>
        <Detail title="Available">{formatCredits(credits.spendable)}</Detail>
        <Detail title="Reserved">{formatCredits(credits.held)}</Detail>
        <Detail title="Concurrent calls">{`${formatWhole(calls.running)} of ${formatWhole(calls.maxRunning)}`}</Detail>
        <Detail title="Calls in a minute">
          {perMinute === null
            ? 'No limit'
            : `${formatWhole(perMinute.remaining)} of ${formatWhole(perMinute.limit)} left`}
        </Detail>
        <Detail title="Calls this month">
          {perMonth === null
            ? formatWhole(calls.thisMonth)
            : `${formatWhole(calls.thisMonth)} of ${formatWhole(perMonth)}`}
        </Detail>
        <Detail title="Month">{`${formatDay(period.from)} – ${formatDay(period.to)}`}</Detail>
        {used.map(({ service, credits: spent }) => (
          <Detail key={service} title={serviceTitle(service)}>
            {creditCount(spent, formatCredits)}
          </Detail>
        ))}
      </Details>
    </Panel>
  );
}
