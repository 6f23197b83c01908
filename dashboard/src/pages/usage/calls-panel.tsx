import { Button, Group, SegmentedControl, Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import { useNow } from '../../api/clock.ts';
import { useKeys, useUsage } from '../../api/reads.ts';
import { Icon } from '../../components/elements/icon.tsx';
import { PlaygroundLink } from '../../components/elements/playground-link.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { useQueryChoice } from '../../lib/hooks/use-query.ts';
import { dayOf, daysBetween } from '../../lib/usage.ts';
import { downloadCsv } from './download-csv.ts';
import { groupIds, groups, usageTotals } from './groups.ts';
import { RangeFields } from './range-fields.tsx';
import { UsageChart } from './usage-chart.tsx';
import { UsageTable } from './usage-table.tsx';
import { useRange } from './use-range.ts';

/** Calls and credits by day, service, model and key, as a chart and as a table. */
export function CallsPanel() {
  const today = dayOf(useNow());
  const days = useRange(today);
  const [group, setGroup] = useQueryChoice('group', groupIds);
  const [measure, setMeasure] = useQueryChoice('measure', ['credits', 'calls']);
  const readGroup = group === 'day' ? 'service' : group;
  const { data: usage, error, refetch } = useUsage(readGroup, days.range);
  // Rows of the group before have no name of this one.
  const data = usage?.group === readGroup ? usage : undefined;
  const { data: keys } = useKeys();

  const shown = useMemo(() => {
    if (!data) return undefined;
    const days = daysBetween(data.from, data.to);
    return { days, totals: usageTotals(data.days, days, group, keys ?? []) };
  }, [data, group, keys]);

  return (
    <Panel
      title="Calls"
      aside={
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          disabled={!shown || shown.totals.length === 0}
          onClick={() => data && shown && downloadCsv({ ...data, group, totals: shown.totals })}
        >
          Export CSV
        </Button>
      }
    >
      <Group align="flex-end" gap="sm" mb="lg">
        <RangeFields value={days} today={today} />
        <SegmentedControl
          aria-label="Group by"
          data={groups.map(({ id, title }) => ({ value: id, label: title }))}
          value={group}
          onChange={setGroup}
        />
        <SegmentedControl
          aria-label="Chart shows"
          data={[
            { value: 'credits', label: 'Credits' },
            { value: 'calls', label: 'Calls' },
          ]}
          value={measure}
          onChange={setMeasure}
        />
      </Group>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!shown && !error && <Skeleton height={380} radius="md" />}
      {shown?.totals.length === 0 && (
        <Empty icon="usage" title="No data for this period" action={<PlaygroundLink />}>
          Calls appear here shortly after they are charged.
        </Empty>
      )}
      {shown && shown.totals.length > 0 && (
        <>
          <UsageChart days={shown.days} totals={shown.totals} measure={measure} isSplit={group !== 'day'} />
          <UsageTable totals={shown.totals} group={group} />
        </>
      )}
    </Panel>
  );
}
