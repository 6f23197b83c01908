import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import type { InferInput, InferOutput } from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';
import { knownModels } from '#contract/inference/models.ts';
import { serviceOfCharge } from '#contract/offered-services.ts';
import type { RequestList, RequestQuery } from '#contract/requests/request-list.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { dayMs, dayOf } from '#contract/shared/time.ts';
import { call } from '../api/call.ts';
import { useConfig, useNow } from '../api/config.ts';
import { type KeyRecord, keyTitle } from '../api/keys.ts';
import { useIsOffered, useKeys } from '../api/reads.ts';
import { Copyable, Detail, Details, DetailsButton, DetailsDrawer, useOpened } from '../components/details.tsx';
import { FilterFields, NoMatch, QueryField, useFilter } from '../components/filters.tsx';
import { Notice } from '../components/notice.tsx';
import { Empty, Page, Panel, PlaygroundLink } from '../components/page.tsx';
import { type Column, DataTable, PagedList, RefreshButton, usePages } from '../components/tables.tsx';
import {
  formatCredits,
  formatDuration,
  formatSecond,
  formatTimestamps,
  formatWhole,
  localDay,
  startOfDay,
} from '../lib/format.ts';
import { useQuery } from '../lib/hooks.ts';
import { lazyComponent } from '../lib/load.ts';
import { serviceTitle } from '../lib/offer.ts';
import { ExportButtons, ExportStatus, useLogExport } from './logs-export.tsx';

const StoredTexts = lazyComponent(async () => (await import('./logs-content.tsx')).StoredTexts);
const { listRequests } = creditRoutes;
const list: ListRequests = (query, signal) => call(listRequests, { query }, { signal });

export default function LogsPage() {
  const { storePrompts } = useConfig();
  const { data: keys = [] } = useKeys();
  return (
    <Page
      title={t`Logs`}
      lead={
        storePrompts
          ? t`Requests from the last 30 days, including rejected and failed ones. Prompts and responses only of keys that store them.`
          : t`Requests from the last 30 days, including rejected and failed ones. Without prompts and responses.`
      }
    >
      <RequestsPanel queryKey={[listRequests.id]} list={list} keys={keys} empty={<NoRequests />} isOwn />
    </Page>
  );
}

const NoRequests = () => (
  <Empty icon="logs" title={t`No requests yet`} action={<PlaygroundLink />}>
    <Trans>Requests appear here a few seconds after their response.</Trans>
  </Empty>
);

export type ListRequests = (
  query: InferInput<typeof RequestQuery>,
  signal: AbortSignal,
) => Promise<InferOutput<typeof RequestList>>;

interface RequestsPanelProps {
  readonly queryKey: readonly unknown[];
  readonly list: ListRequests;
  /** Choices of the key filter. */
  readonly keys: readonly KeyRecord[];
  /** Shown for an empty list without filters. */
  readonly empty: ReactNode;
  /** Whether the requests are those of the page's account, which may read stored prompts. */
  readonly isOwn?: boolean;
}

const pageSize = 25;

export function RequestsPanel({ queryKey, list, keys, empty, isOwn = false }: RequestsPanelProps) {
  const { filters, texts, requested } = useFilters(localDay(useNow()), keys);
  const pages = usePages({
    queryKey: [...queryKey, requested],
    read: (cursor, signal) => readPage(list, { ...requested, limit: String(pageSize), cursor }, signal),
    rowsOf: ({ requests }) => requests,
    keepsPrevious: true,
  });
  const { item, isOpen, open, close } = useOpened<OpenedRequest>();
  const saving = useLogExport({ list, query: requested });
  const isFiltered = Object.values(requested).some((value) => value !== undefined);
  const noMatch = <NoMatch icon="logs" title={t`No requests match these filters`} filters={[...filters, ...texts]} />;
  return (
    <Panel
      title={t`Requests`}
      aside={
        <Group gap="xs">
          <ExportButtons {...saving} />
          <RefreshButton pages={pages} />
        </Group>
      }
    >
      <FilterFields filters={filters} columns="repeat(auto-fit, minmax(8rem, 1fr))" />
      <Group gap="sm" mb="lg" align="flex-end">
        {texts.map((field) => (
          <QueryField key={field.name} {...field} flex="1 1 11rem" />
        ))}
      </Group>
      <ExportStatus {...saving} />
      <PagedList pages={pages} empty={isFiltered ? noMatch : empty}>
        {(requests) => <RequestTable requests={requests} onOpen={open} mayHaveTexts={isOwn} />}
      </PagedList>
      <DetailsDrawer title={t`Request`} size={440} item={item} isOpen={isOpen} onClose={close}>
        {({ request, asksTexts }) => (
          <RequestDetails
            request={request}
            texts={
              isOwn &&
              request.contentExpiresAt !== null && (
                <Suspense>
                  <StoredTexts key={request.requestId} request={request} isAsked={asksTexts} />
                </Suspense>
              )
            }
          />
        )}
      </DetailsDrawer>
    </Panel>
  );
}

/** Maximum reads for one page of the table: a search may find nothing in a page. */
const maxReads = 4;

async function readPage(list: ListRequests, query: InferInput<typeof RequestQuery>, signal: AbortSignal) {
  let page = await list(query, signal);
  for (let reads = 1; reads < maxReads && page.requests.length === 0 && page.nextCursor !== null; reads++)
    page = await list({ ...query, cursor: page.nextCursor }, signal);
  return page;
}

const custom = 'custom';
const dayChoices = () =>
  [
    { value: '7', label: t`7 days` },
    { value: '1', label: t`Today` },
    { value: custom, label: t({ message: 'Custom', context: 'time range' }) },
  ] as const;

const searchFields = () =>
  [
    { name: 'id', label: t`Request ID`, maxLength: 64 },
    { name: 'error', label: t`Error contains`, maxLength: 100 },
  ] as const;
const rangeFields = () =>
  [
    { name: 'from', label: t({ message: 'From', context: 'start time' }), type: 'datetime-local' },
    { name: 'to', label: t({ message: 'To', context: 'end time' }), type: 'datetime-local' },
  ] as const;

/** The start of the first of the last `days` local days. */
function startOfLast(days: number, today: string): string {
  return new Date(startOfDay(dayOf(Date.parse(today) - (days - 1) * dayMs))).toISOString();
}

/** The UTC time of a local one in the URL's query, or undefined if it is not one. */
function timeOf(local: string | null): string | undefined {
  const ms = Date.parse(local ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

const statusChoices = () =>
  [
    { value: '2xx', label: t`2xx: succeeded` },
    { value: '4xx', label: t`4xx: client error` },
    { value: '400', label: t`400: invalid request` },
    { value: '402', label: t`402: insufficient credits` },
    { value: '403', label: t`403: not permitted` },
    { value: '429', label: t`429: rate limit` },
    { value: '5xx', label: t`5xx: failed` },
  ] as const;

const modelChoices = knownModels().map(({ id }) => ({ value: id, label: id }));

/** The filters of the list, and the query of the request. */
function useFilters(today: string, keys: readonly KeyRecord[]) {
  const [query] = useQuery();
  const keyId = query.get('key');
  const keyChoices = keys.map((key) => ({ value: key.id, label: keyTitle(key) }));
  const isUnknown = keyId !== null && !keys.some(({ id }) => id === keyId);
  const days = useFilter('days', t`Days`, t`30 days`, dayChoices());
  const status = useFilter('status', t`Status`, t`All statuses`, statusChoices());
  const isOffered = useIsOffered(true);
  const serviceChoices = serviceNames
    .filter((name) => isOffered(serviceOfCharge[name]))
    .map((value) => ({ value, label: serviceTitle(value) }));
  const service = useFilter('service', t`Service`, t`All services`, serviceChoices);
  const model = useFilter('model', t`Model`, t`All models`, modelChoices);
  const key = useFilter(
    'key',
    t`Key`,
    t`All keys`,
    isUnknown ? [...keyChoices, { value: keyId, label: t`Deleted key` }] : keyChoices,
  );
  const isCustom = days.value === custom;
  const requested = {
    from: isCustom ? timeOf(query.get('from')) : days.value && startOfLast(Number(days.value), today),
    to: isCustom ? timeOf(query.get('to')) : undefined,
    requestId: query.get('id') ?? undefined,
    error: query.get('error') ?? undefined,
    status: status.value,
    service: service.value,
    model: model.value,
    keyId: key.value,
  };
  const texts = isCustom ? [...rangeFields(), ...searchFields()] : searchFields();
  return { filters: [days, status, service, model, key], texts, requested };
}

/** The request in the drawer. `asksTexts`: whether to show its prompt and response immediately. */
interface OpenedRequest {
  readonly request: RequestEntry;
  readonly asksTexts: boolean;
}

interface RequestTableProps {
  readonly requests: readonly RequestEntry[];
  readonly onOpen: (opened: OpenedRequest) => void;
  readonly mayHaveTexts: boolean;
}

function RequestTable({ requests, onOpen, mayHaveTexts }: RequestTableProps) {
  const texts: Column<RequestEntry> = {
    title: t`Prompt and response`,
    cell: (request) =>
      request.contentExpiresAt === null ? (
        '–'
      ) : (
        <DetailsButton onClick={() => onOpen({ request, asksTexts: true })}>{t`Show`}</DetailsButton>
      ),
  };
  const columns: Column<RequestEntry>[] = [
    {
      title: t`Time`,
      place: 'lead',
      cell: (request) => (
        <DetailsButton onClick={() => onOpen({ request, asksTexts: false })}>{formatSecond(request.at)}</DetailsButton>
      ),
    },
    { title: t`Status`, cell: (request) => <StatusBadge {...request} /> },
    { title: t`Service`, place: 'wide', cell: whatFor },
    { title: t`Key`, cell: keyNameOf },
    { title: t`Tokens`, place: 'end', cell: tokensOf },
    { title: t`Latency`, place: 'end', cell: ({ latencyMs }) => formatDuration(latencyMs) },
    { title: t`Credits`, place: 'end', cell: ({ credits }) => formatCredits(credits) },
    ...(mayHaveTexts && requests.some(({ contentExpiresAt }) => contentExpiresAt !== null) ? [texts] : []),
  ];
  return (
    <DataTable
      caption={t`Requests, newest first`}
      columns={columns}
      rows={requests}
      idOf={({ requestId }) => requestId}
    />
  );
}

function RequestDetails({ request, texts }: { request: RequestEntry; texts: ReactNode }) {
  const {
    requestId,
    at,
    route,
    status,
    message,
    detail,
    isStream,
    latencyMs,
    firstByteMs,
    credits,
    headers,
    unlisted,
  } = request;
  return (
    <Stack gap="md">
      {detail !== null && <Notice tone={status >= 500 ? 'error' : 'warning'}>{formatTimestamps(detail)}</Notice>}
      {unlisted > 0 && (
        <Text size="sm" c="dimmed">
          {plural(unlisted, {
            one: '# rejected request just before this one is not listed.',
            other: '# rejected requests just before this one are not listed.',
          })}
        </Text>
      )}
      {texts}
      <Details>
        <Detail title={t`Request ID`}>
          <Copyable value={requestId} what={t`request ID`} />
        </Detail>
        <Detail title={t`Time`}>{formatSecond(at)}</Detail>
        <Detail title={t`Status`}>
          <StatusBadge status={status} message={succeeded} />
        </Detail>
        {message !== succeeded && (
          <Detail title={t`Error code`}>
            <span className="mono">{message}</span>
          </Detail>
        )}
        {route !== null && (
          <Detail title={t`Operation`}>
            <span className="mono">{route}</span>
          </Detail>
        )}
        <Detail title={t`Service`}>{whatFor(request)}</Detail>
        <Detail title={t`Key`}>{keyNameOf(request)}</Detail>
        <Detail title={t`Stream`}>{isStream ? t`Yes` : t`No`}</Detail>
        <Detail title={t`Tokens (in + out)`}>{tokensOf(request)}</Detail>
        <Detail title={t`Latency`}>{formatDuration(latencyMs)}</Detail>
        {firstByteMs !== null && <Detail title={t`Time to first token`}>{formatDuration(firstByteMs)}</Detail>}
        <Detail title={t`Credits charged`}>{formatCredits(credits)}</Detail>
      </Details>
      <Text component="h3" fw={600} size="sm">
        <Trans>Response headers</Trans>
      </Text>
      <Details isTechnical>
        {Object.entries(headers).map(([name, value]) => (
          <Detail key={name} title={name}>
            {value}
          </Detail>
        ))}
      </Details>
    </Stack>
  );
}

/** `message` of a successful response. */
const succeeded = 'SUCCESS';

export type RequestEntry = InferOutput<typeof RequestList>['requests'][number];

/** Red for errors of the service or a model, including a stream that failed after status 200. */
function StatusBadge({ status, message }: Pick<RequestEntry, 'status' | 'message'>) {
  const isBroken = status < 400 && message !== succeeded;
  if (status >= 500 || isBroken) return <Badge color="red">{isBroken ? `${status}, ${message}` : status}</Badge>;
  return <Badge color={status >= 400 ? 'yellow.8' : 'pine'}>{status}</Badge>;
}

const whatFor = ({ service, model }: RequestEntry): string =>
  model === null ? serviceTitle(service) : `${serviceTitle(service)}, ${model}`;

function keyNameOf({ keyId, keyName }: RequestEntry): string {
  return keyId === null ? t`Dashboard session` : (keyName ?? t`Deleted key`);
}

function tokensOf({ promptTokens, completionTokens }: RequestEntry): string {
  if (promptTokens === null) return '–';
  return completionTokens === null
    ? formatWhole(promptTokens)
    : `${formatWhole(promptTokens)} + ${formatWhole(completionTokens)}`;
}
