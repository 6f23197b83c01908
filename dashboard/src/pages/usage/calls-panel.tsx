import { Button, Group, SegmentedControl, Select, Skeleton, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { routes } from '#contract/routes.ts';
import { useKeys } from '../../api/reads.ts';
import { useNow } from '../../api/surroundings.ts';
import { useData } from '../../api/use-data.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { PlaygroundLink } from '../../components/playground-link.tsx';
import { dayOf, daysBetween, type Measure, totalsBy } from '../../lib/usage.ts';
import { downloadCsv } from './download-csv.ts';
import { type Group as Grouping, groups, namer } from './groups.ts';
import { UsageChart } from './usage-chart.tsx';
import { UsageTable } from './usage-table.tsx';

const spans = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'own', label: 'Days of my choice' },
];
const dayMs = 86_400_000;

/** Calls and credits by day, service, model and key, as a chart and as a table. */
export function CallsPanel() {
  const today = dayOf(useNow());
  const [span, setSpan] = useState('30');
  const [own, setOwn] = useState<{ from: string; to: string }>();
  const [group, setGroup] = useState<Grouping>('service');
  const [measure, setMeasure] = useState<Measure>('credits');
  const lastDays = { from: dayOf(Date.parse(today) - (Number(span) - 1) * dayMs), to: today };
  const range = span === 'own' ? (own ?? { from: today, to: today }) : lastDays;
  const { data, error, refetch } = useData(routes.getUsage, { query: range }, { keep: true });
  const { data: keys } = useKeys();

  const shown = useMemo(() => {
    if (!data) return undefined;
    const days = daysBetween(data.from, data.to);
    return { days, totals: totalsBy(data.days, days, namer(group, keys ?? [])) };
  }, [data, group, keys]);

  function chooseSpan(value: string | null): void {
    if (value === 'own') setOwn(range);
    setSpan(value ?? '30');
  }

  return (
    <Panel
      title="Calls"
      aside={
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          disabled={!data || data.days.length === 0}
          onClick={() => data && downloadCsv(data, namer('key', keys ?? []))}
        >
          Export CSV
        </Button>
      }
    >
      <Group align="flex-end" gap="sm" mb="lg">
        <Select label="Days" data={spans} value={span} onChange={chooseSpan} allowDeselect={false} w={180} />
        {span === 'own' && (
          <>
            <TextInput
              label="From"
              type="date"
              value={range.from}
              max={range.to}
              onChange={({ currentTarget: { value } }) => value && setOwn({ ...range, from: value })}
            />
            <TextInput
              label="To"
              type="date"
              value={range.to}
              min={range.from}
              max={today}
              onChange={({ currentTarget: { value } }) => value && setOwn({ ...range, to: value })}
            />
          </>
        )}
        <SegmentedControl
          aria-label="Split by"
          data={groups.map(({ id, title }) => ({ value: id, label: title }))}
          value={group}
          onChange={(value) => setGroup(groups.find(({ id }) => id === value)?.id ?? 'service')}
        />
        <SegmentedControl
          aria-label="Chart shows"
          data={[
            { value: 'credits', label: 'Credits' },
            { value: 'calls', label: 'Calls' },
          ]}
          value={measure}
          onChange={(value) => setMeasure(value === 'calls' ? 'calls' : 'credits')}
        />
      </Group>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!shown && !error && <Skeleton height={380} radius="md" />}
      {shown?.totals.length === 0 && (
        <Empty icon="usage" title="No calls in these days" action={<PlaygroundLink />}>
          Calls appear here a moment after they are charged.
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
