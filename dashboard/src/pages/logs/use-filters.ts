import { serviceNames } from '#contract/billing/prices.ts';
import { models } from '#contract/inference/models.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks/use-query.ts';
import { dayOf } from '../../lib/usage.ts';

const dayMs = 86_400_000;
const all = 'all';

const statusChoices = [
  { value: all, label: 'All statuses' },
  { value: '2xx', label: '2xx: succeeded' },
  { value: '4xx', label: '4xx: client error' },
  { value: '400', label: '400: invalid request' },
  { value: '402', label: '402: insufficient credits' },
  { value: '403', label: '403: not permitted' },
  { value: '429', label: '429: rate limit' },
  { value: '5xx', label: '5xx: failed' },
] as const;

export const choices = {
  days: [
    { value: '30', label: '30 days' },
    { value: '7', label: '7 days' },
    { value: '1', label: 'Today (UTC)' },
  ],
  status: statusChoices,
  model: [{ value: all, label: 'All models' }, ...models.map(({ id }) => ({ value: id, label: id }))],
} as const;

/** What the list is filtered by, which the URL's query has: the values of the fields, and the query of the request. */
export function useFilters(today: string) {
  const [query, change] = useQuery();
  const [days, setDays] = useQueryChoice('days', ['30', '7', '1']);
  const [status, setStatus] = useQueryChoice('status', [all, ...statusChoices.map(({ value }) => value)]);
  const [service, setService] = useQueryChoice('service', [all, ...serviceNames]);
  const [model, setModel] = useQueryChoice('model', [all, ...models.map(({ id }) => id)]);
  const key = query.get('key') ?? all;
  const setKey = (next: string | null) => change({ key: next === null || next === all ? undefined : next });

  const requested = {
    ...(days !== '30' && { from: dayOf(Date.parse(today) - (Number(days) - 1) * dayMs) }),
    ...(status !== all && { status }),
    ...(service !== all && { service }),
    ...(model !== all && { model }),
    ...(key !== all && { keyId: key }),
  };
  const clear = () =>
    change({ days: undefined, status: undefined, service: undefined, model: undefined, key: undefined });
  const values = { days, status, service, model, key };
  const set = { days: setDays, status: setStatus, service: setService, model: setModel, key: setKey };
  return { values, set, requested, isFiltered: Object.keys(requested).length > 0, clear };
}
