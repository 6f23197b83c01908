import { Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Detail, Details } from '../../components/elements/details.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { count, formatCredits, formatDuration, formatSecond, formatTimestamps } from '../../lib/format.ts';
import { keyNameOf, type RequestEntry, StatusBadge, succeeded, tokensOf, whatFor } from './request.tsx';

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
