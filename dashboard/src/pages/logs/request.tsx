import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { RequestList } from '#contract/requests/request-list.ts';
import { formatWhole } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

export type RequestEntry = InferOutput<typeof RequestList>['requests'][number];

/** The status, in red where we or a model failed, also in the midst of a stream. */
export function StatusBadge({ status, code }: Pick<RequestEntry, 'status' | 'code'>) {
  if (status >= 500 || (status < 400 && code !== null)) return <Badge color="red">{label(status, code)}</Badge>;
  return <Badge color={status >= 400 ? 'yellow.8' : 'pine'}>{status}</Badge>;
}

const label = (status: number, code: string | null): string => (status < 400 ? `${status}, ${code}` : String(status));

export const whatFor = ({ service, model }: RequestEntry): string =>
  model === null ? serviceTitle(service) : `${serviceTitle(service)}, ${model}`;

export function keyNameOf({ key }: RequestEntry): string {
  return key === null ? 'Dashboard session' : (key.name ?? 'Deleted key');
}

/** Input and output. */
export function tokensOf({ inputTokens, outputTokens }: RequestEntry): string {
  if (inputTokens === null) return '–';
  return outputTokens === null
    ? formatWhole(inputTokens)
    : `${formatWhole(inputTokens)} + ${formatWhole(outputTokens)}`;
}
