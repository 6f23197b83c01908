import { Badge, Group, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { RequestList } from '#contract/requests/request-list.ts';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Detail, Details } from '../../components/elements/details.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { count, formatCredits, formatDuration, formatSecond, formatTimestamps, formatWhole } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

/** All that is recorded of a request. */
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
          <Group gap={4} wrap="nowrap">
            <span className="mono">{requestId}</span>
            <CopyButton value={requestId} what="request ID" />
          </Group>
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

/** What the envelope of a request has that did not fail. */
const succeeded = 'SUCCESS';

export type RequestEntry = InferOutput<typeof RequestList>['requests'][number];

/** The status, in red where we or a model failed, also in the midst of a stream. */
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

/** Input and output. */
export function tokensOf({ promptTokens, completionTokens }: RequestEntry): string {
  if (promptTokens === null) return '–';
  return completionTokens === null
    ? formatWhole(promptTokens)
    : `${formatWhole(promptTokens)} + ${formatWhole(completionTokens)}`;
}
