import { Progress, Stack, Text } from '@mantine/core';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { formatCredits, formatFromNow, creditCount } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

const per = { day: ' per day', month: ' per month', total: '' } as const;

/** What a key may spend and be used for: a bar of what is used, and the lists in words. */
export function KeyLimit({ apiKey: { limit, models, services }, now }: { apiKey: KeyRecord; now: number }) {
  const lists = [...(models ?? []), ...(services ?? []).map(serviceTitle)];
  if (!limit && lists.length === 0) return '–';
  return (
    <Stack gap={4} miw={112} maw={220}>
      {limit && <Spent limit={limit} now={now} />}
      {lists.length > 0 && <Text size="xs">Only {lists.join(', ')}</Text>}
    </Stack>
  );
}

function Spent({ limit, now }: { limit: NonNullable<KeyRecord['limit']>; now: number }) {
  const { credits, used, period, resetsAt } = limit;
  const share = Math.min(100, (100 * used) / credits);
  return (
    <>
      <span className="number">
        {formatCredits(used)} of {creditCount(credits)}
        {per[period]}
      </span>
      <Progress
        value={share}
        size={5}
        aria-label={`Used: ${Math.round(share)}%`}
        color={share >= 90 ? 'red.6' : 'pine'}
      />
      {resetsAt && (
        <Text size="xs" c="dimmed">
          Resets {formatFromNow(resetsAt, now)}
        </Text>
      )}
    </>
  );
}
