import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { RequestList } from '#contract/requests/request-list.ts';
import { formatWhole } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

/** What the envelope of a request has that did not fail. */
export const succeeded = 'SUCCESS';

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
