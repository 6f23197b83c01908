import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Box,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useMemo } from 'react';
import { documentOrganization } from '../../api/account.ts';
import { useNow } from '../../api/config.ts';
import { useMembers } from '../../api/members.ts';
import { useKeys, useUsage } from '../../api/reads.ts';
import { Icon } from '../../components/icon.tsx';
import { LazyDayChart, Legend } from '../../components/lazy-day-chart.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, Page, Panel, PlaygroundLink } from '../../components/page.tsx';
import { type Column, DataTable, Name } from '../../components/tables.tsx';
import { csvOf, saveFile } from '../../lib/downloads.ts';
import {
  creditCount,
  formatCredits,
  formatDay,
  formatExact,
  formatShare,
  formatWhole,
  localDay,
} from '../../lib/format.ts';
import { useQueryChoice } from '../../lib/hooks.ts';
import { daysBetween, type Measure, sum, type Total } from '../../lib/usage.ts';
import { CapPanel } from './cap-panel.tsx';
import {
  custom,
  type Grouping,
  groupings,
  groupTitle,
  rangeErrors,
  spanChoices,
  usageTotals,
  useRange,
} from './data.ts';
import { LedgerPanel } from './ledger.tsx';

export default function UsagePage() {
  return (
    <Page title={t`Usage`} lead={t`Charged calls, spending cap and credit history`}>
      <Stack gap="lg">
        <CallsPanel />
        <CapPanel />
        <LedgerPanel />
      </Stack>
    </Page>
  );
}

/** Grouping of the API for each grouping of the page. The usage of a member is that of their keys. */
const readGroups = { day: 'service', service: 'service', model: 'model', key: 'key', member: 'key' } as const;

function CallsPanel() {
  const today = localDay(useNow());
  const days = useRange(today);
  const [wanted, setGroup] = useQueryChoice('group', groupings);
  const organization = documentOrganization();
  const group = wanted === 'member' && !organization ? 'service' : wanted;
  const [measure, setMeasure] = useQueryChoice('measure', ['credits', 'calls', 'tokens']);
  const readGroup = readGroups[group];
  const { data: usage, error, refetch } = useUsage(readGroup, days.range);
  // Rows of the previous grouping lack the names for this one.
  const data = usage?.group === readGroup ? usage : undefined;
  const { data: keys } = useKeys();
  const { data: members } = useMembers();
  const offered = groupings.filter((one) => one !== 'member' || organization);

  const shown = useMemo(() => {
    if (!data || (group === 'member' && !members)) return undefined;
    const days = daysBetween(data.from, data.to);
    return { days, totals: usageTotals(data.days, days, group, keys ?? [], members?.items) };
  }, [data, group, keys, members]);

  return (
    <Panel
      title={t`Calls`}
      aside={
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          disabled={!shown || shown.totals.length === 0}
          onClick={() => data && shown && downloadCsv({ ...data, group, totals: shown.totals })}
        >
          <Trans>Export CSV</Trans>
        </Button>
      }
    >
      <Group align="flex-end" gap="sm" mb="lg">
        <RangeFields value={days} today={today} />
        <SegmentedControl
          aria-label={t`Group by`}
          data={offered.map((value) => ({ value, label: groupTitle(value) }))}
          value={group}
          onChange={setGroup}
        />
        <SegmentedControl
          aria-label={t`Chart shows`}
          data={[
            { value: 'credits', label: t`Credits` },
            { value: 'calls', label: t`Calls` },
            { value: 'tokens', label: t`Tokens` },
          ]}
          value={measure}
          onChange={setMeasure}
        />
      </Group>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!shown && !error && <Skeleton height={380} radius="md" />}
      {shown?.totals.length === 0 && (
        <Empty icon="usage" title={t`No data for this period`} action={<PlaygroundLink />}>
          <Trans>Calls appear here shortly after they are charged.</Trans>
        </Empty>
      )}
      {shown && shown.totals.length > 0 && (
        <>
          <UsageChart days={shown.days} totals={shown.totals} measure={measure} isSplit={group !== 'day'} />
          <UsageTable totals={shown.totals} group={group} />
          {data && <ZoneNote {...data} />}
        </>
      )}
    </Panel>
  );
}

interface RangeFieldsProps {
  readonly value: ReturnType<typeof useRange>;
  readonly today: string;
}

/** Errors are above the input, so that all fields stay on one line. */
const field: TextInputProps = { w: 180, inputWrapperOrder: ['label', 'error', 'input'], errorProps: { mb: 4 } };

function RangeFields({ value: { span, entered, choose, enter }, today }: RangeFieldsProps) {
  const errors = rangeErrors(entered, today);
  return (
    <>
      <NativeSelect
        label={t`Days`}
        data={spanChoices()}
        value={span}
        onChange={(event) => choose(event.currentTarget.value)}
        w={180}
      />
      {span === custom && (
        <>
          <TextInput
            label={t({ message: 'From', context: 'first day' })}
            type="date"
            value={entered.from}
            max={entered.to}
            error={errors.from}
            {...field}
            onChange={({ currentTarget }) => enter({ from: currentTarget.value })}
          />
          <TextInput
            label={t({ message: 'To', context: 'last day' })}
            type="date"
            value={entered.to}
            min={entered.from}
            max={today}
            error={errors.to}
            {...field}
            onChange={({ currentTarget }) => enter({ to: currentTarget.value })}
          />
        </>
      )}
    </>
  );
}

const tokenColumns = (): Column<Total>[] => [
  { title: t`Input tokens`, place: 'end', cell: ({ tokens }) => formatExact(tokens.input) },
  { title: t`Cached`, place: 'end', cell: ({ tokens }) => formatExact(tokens.cached) },
  { title: t`Output tokens`, place: 'end', cell: ({ tokens }) => formatExact(tokens.output) },
];

const captions: Readonly<Record<Grouping, MessageDescriptor>> = {
  day: msg`Usage by day`,
  service: msg`Usage by service`,
  model: msg`Usage by model`,
  key: msg`Usage by key`,
  member: msg`Usage by member`,
};

function UsageTable({ totals, group }: { totals: readonly Total[]; group: Grouping }) {
  const credits = sum(totals.map((total) => total.credits));
  const spent = creditCount(credits, formatCredits);
  const calls = sum(totals.map((total) => total.calls));
  const hasTokens = totals.some(({ tokens }) => tokens.input + tokens.output > 0);
  const columns: Column<Total>[] = [
    {
      title: groupTitle(group),
      place: 'lead',
      cell: ({ name }) => <Name>{name}</Name>,
    },
    { title: t`Calls`, place: 'end', cell: (total) => formatWhole(total.calls) },
    ...(hasTokens ? tokenColumns() : []),
    { title: t`Credits`, place: 'end', cell: (total) => formatCredits(total.credits) },
    {
      title: t({ message: 'Share', context: 'percentage' }),
      place: 'end',
      cell: (total) => formatShare(total.credits, credits),
    },
  ];
  return (
    <Box mt="lg">
      <DataTable caption={i18n._(captions[group])} columns={columns} rows={totals} idOf={({ name }) => name} />
      <Text size="sm" c="dimmed" mt="sm">
        {plural(calls, { one: `# call, ${spent} in total.`, other: `# calls, ${spent} in total.` })}
      </Text>
    </Box>
  );
}

/** Names the time zone of the days. */
function ZoneNote({ timezone, utcThrough }: { timezone: string; utcThrough: string | undefined }) {
  return (
    <Text size="sm" c="dimmed">
      <Trans>Days are in your time zone, {timezone}.</Trans>
      {utcThrough !== undefined && ` ${t`Usage up to ${{ day: formatDay(utcThrough) }} may be counted by UTC day.`}`}
    </Text>
  );
}

interface UsageChartProps {
  readonly days: readonly string[];
  readonly totals: readonly Total[];
  readonly measure: Measure;
  /** One color for each total instead of one for all. */
  readonly isSplit: boolean;
}

const maxSeries = 5;

/** Shows the largest totals in a color each, and the others combined. */
function UsageChart({ days, totals, measure, isSplit }: UsageChartProps) {
  const series = useMemo(() => {
    const combined = (name: string, some: readonly Total[]) => ({
      name,
      values: days.map((_, index) => sum(some.map(({ perDay }) => perDay[measure][index] ?? 0))),
    });
    if (!isSplit) return [combined(t`All calls`, totals)];
    const rest = totals.slice(maxSeries);
    return [
      ...totals.slice(0, maxSeries).map((total) => combined(total.name, [total])),
      ...(rest.length > 0 ? [combined(t`Others`, rest)] : []),
    ];
  }, [days, totals, measure, isSplit]);
  const reading = readingOf(measure, sum(totals.flatMap(({ perDay }) => perDay[measure])));

  return (
    <>
      <LazyDayChart
        days={days}
        series={series}
        unit={measure}
        height={240}
        label={plural(
          { days: days.length },
          {
            one: `${reading} in # day; the table below has the numbers`,
            other: `${reading} in # days; the table below has the numbers`,
          },
        )}
      />
      {isSplit && <Legend names={series.map(({ name }) => name)} />}
    </>
  );
}

function readingOf(measure: Measure, value: number): string {
  if (measure === 'credits') return creditCount(value, formatExact);
  return measure === 'calls'
    ? plural(value, { one: '# call', other: '# calls' })
    : plural(value, { one: '# token', other: '# tokens' });
}

interface UsageExport {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  readonly group: Grouping;
  readonly totals: readonly Total[];
}

/** Downloads the usage table as CSV, with the names shown on the page. */
function downloadCsv({ from, to, timezone, group, totals }: UsageExport): void {
  const lines = totals.map(({ name, calls, credits, tokens: { input, cached, output } }) => {
    return [name, calls, credits, input, cached, output];
  });
  const title = group === 'day' ? `${groupTitle(group)} (${timezone})` : groupTitle(group);
  const titles = [title, t`Calls`, t`Credits`, t`Input tokens`, t`Cached input tokens`, t`Output tokens`];
  const text = csvOf([titles, ...lines]);
  saveFile(
    new Blob([text], { type: 'text/csv;charset=utf-8' }),
    `usage-by-${group}-${from}-to-${to}-${timezone.replaceAll('/', '-')}.csv`,
  );
}
