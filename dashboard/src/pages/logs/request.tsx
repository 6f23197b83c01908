import { Badge, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { RequestList } from '#contract/requests/request-list.ts';
import { Copyable, Detail, Details } from '../../components/details.tsx';
import { Notice } from '../../components/notice.tsx';
import { count, formatCredits, formatDuration, formatSecond, formatTimestamps, formatWhole } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

export function RequestDetails({ request }: { request: RequestEntry }) {
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
          {count(unlisted, 'rejected request')} just before this one {unlisted === 1 ? 'is' : 'are'} not listed.
        </Text>
      )}
      <Details>
        <Detail title="Request ID">
          <Copyable value={requestId} what="request ID" />
        </Detail>
        <Detail title="Time">{formatSecond(at)}</Detail>
        <Detail title="Status">
          <StatusBadge status={status} message={succeeded} />
        </Detail>
        {message !== succeeded && (
          <Detail title="Error code">
            <span className="mono">{message}</span>
          </Detail>
        )}
        {route !== null && (
          <Detail title="Operation">
            <span className="mono">{route}</span>
          </Detail>
        )}
        <Detail title="Service">{whatFor(request)}</Detail>
        <Detail title="Key">{keyNameOf(request)}</Detail>
        <Detail title="Stream">{isStream ? 'Yes' : 'No'}</Detail>
        <Detail title="Tokens (in + out)">{tokensOf(request)}</Detail>
        <Detail title="Latency">{formatDuration(latencyMs)}</Detail>
        {firstByteMs !== null && <Detail title="Time to first token">{formatDuration(firstByteMs)}</Detail>}
        <Detail title="Credits charged">{formatCredits(credits)}</Detail>
      </Details>
      <Text component="h3" fw={600} size="sm">
        Response headers
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
export function StatusBadge({ status, message }: Pick<RequestEntry, 'status' | 'message'>) {
  const isBroken = status < 400 && message !== succeeded;
  if (status >= 500 || isBroken) return <Badge color="red">{isBroken ? `${status}, ${message}` : status}</Badge>;
  return <Badge color={status >= 400 ? 'yellow.8' : 'pine'}>{status}</Badge>;
}

export const whatFor = ({ service, model }: RequestEntry): string =>
  model === null ? serviceTitle(service) : `${serviceTitle(service)}, ${model}`;

export function keyNameOf({ keyId, keyName }: RequestEntry): string {
  return keyId === null ? 'Dashboard session' : (keyName ?? 'Deleted key');
}

export function tokensOf({ promptTokens, completionTokens }: RequestEntry): string {
  if (promptTokens === null) return '–';
  return completionTokens === null
    ? formatWhole(promptTokens)
    : `${formatWhole(promptTokens)} + ${formatWhole(completionTokens)}`;
}
