import { i18n } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Progress, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { InferInput } from 'valibot';
import type { RequestQuery } from '#contract/requests/request-list.ts';
import { dayMs } from '#contract/shared/time.ts';
import { useNow } from '../api/config.ts';
import { Icon } from '../components/icon.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { csvOf, saveFile } from '../lib/downloads.ts';
import type { ListRequests, RequestEntry } from './logs.tsx';

/** Requests per file, so that the page's memory is bounded. */
const maxRequests = 20_000;
const pageSize = 200;
const retentionDays = 30;

const formats = {
  csv: { title: msg`Export CSV`, type: 'text/csv;charset=utf-8', textOf: csvText },
  jsonl: { title: msg`Export JSONL`, type: 'application/jsonl', textOf: jsonLines },
} as const;
type Format = keyof typeof formats;

interface Status {
  readonly format: Format;
  readonly requests: number;
  /** From 0 to 100, by the part of the time range that has been searched. */
  readonly share: number;
  readonly end?: 'complete' | 'full' | 'failed';
  readonly error?: unknown;
}

interface LogExport {
  readonly list: ListRequests;
  readonly query: InferInput<typeof RequestQuery>;
}

/** Saves all requests of a query as a file, page by page. */
export function useLogExport({ list, query }: LogExport) {
  const now = useNow();
  const [status, setStatus] = useState<Status>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(format: Format): Promise<void> {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const last = query.to === undefined ? now : Date.parse(query.to);
    const first = Math.max(query.from === undefined ? 0 : Date.parse(query.from), now - retentionDays * dayMs);
    const found: RequestEntry[] = [];
    const state = (more: Partial<Status> = {}): Status => ({ format, requests: found.length, share: 0, ...more });
    try {
      setStatus(state());
      let cursor: string | undefined;
      do {
        const page = await list({ ...query, limit: String(pageSize), cursor }, abort.signal);
        found.push(...page.requests);
        cursor = page.nextCursor ?? undefined;
        const searched = last - Date.parse(page.searchedTo ?? '');
        setStatus(state({ share: Math.min(100, (100 * searched) / Math.max(1, last - first)) }));
      } while (cursor !== undefined && found.length < maxRequests);
      const { type, textOf } = formats[format];
      saveFile(new Blob([textOf(found)], { type }), `requests-${new Date(now).toISOString().slice(0, 10)}.${format}`);
      setStatus(state({ end: cursor === undefined ? 'complete' : 'full' }));
    } catch (error) {
      if (!abort.signal.aborted) setStatus(state({ end: 'failed', error }));
    }
  }

  const stop = () => {
    running.current?.abort();
    setStatus(undefined);
  };
  return { status, isRunning: status !== undefined && status.end === undefined, start, stop };
}

type Export = ReturnType<typeof useLogExport>;

export function ExportButtons({ isRunning, start }: Export) {
  return Object.entries(formats).map(([format, { title }]) => (
    <Button
      key={format}
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      disabled={isRunning}
      onClick={() => void start(format === 'csv' ? 'csv' : 'jsonl')}
    >
      {i18n._(title)}
    </Button>
  ));
}

export function ExportStatus({ status, start, stop }: Export) {
  if (!status) return null;
  const { format, requests, share, end, error } = status;
  if (end === 'failed') return <ErrorNotice error={error} onRetry={() => void start(format)} />;
  if (end === 'full')
    return (
      <Notice tone="warning">
        {plural(requests, {
          one: 'The file has the newest request. Choose a time range for older ones.',
          other: 'The file has the newest # requests. Choose a time range for older ones.',
        })}
      </Notice>
    );
  if (end === 'complete')
    return (
      <Text size="sm" c="dimmed" mb="md" role="status">
        {plural(requests, { one: 'Exported # request.', other: 'Exported # requests.' })}
      </Text>
    );
  return (
    <Group mb="md" gap="sm" wrap="nowrap">
      <Progress
        value={share}
        flex={1}
        aria-label={t({ message: 'Export', comment: 'Noun, the name of a progress bar' })}
      />
      <Text size="sm">{plural(requests, { one: '# request', other: '# requests' })}</Text>
      <Button variant="default" size="xs" onClick={stop}>
        <Trans>Cancel</Trans>
      </Button>
    </Group>
  );
}

const columns = [
  'requestId',
  'at',
  'route',
  'status',
  'message',
  'detail',
  'service',
  'model',
  'keyId',
  'keyName',
  'isStream',
  'promptTokens',
  'completionTokens',
  'latencyMs',
  'firstByteMs',
  'credits',
] as const satisfies readonly (keyof RequestEntry)[];

function csvText(requests: readonly RequestEntry[]): string {
  const lines = requests.map((request) =>
    columns.map((name) => (typeof request[name] === 'number' ? request[name] : String(request[name] ?? ''))),
  );
  return csvOf([columns, ...lines]);
}

function jsonLines(requests: readonly RequestEntry[]): string {
  return requests.map((request) => `${JSON.stringify(request)}\n`).join('');
}
