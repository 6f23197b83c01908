import { Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { spendingReads } from '../../../api/reads.ts';
import { channelTitles, meaningOf, MessageBadge, type MessageRecord } from '../message.tsx';

const isTroubled = ({ status }: MessageRecord): boolean =>
  status === 'unknown' || status === 'undelivered' || status === 'failed';

/** What became of the message that was sent last. One that fails gives its credits back. */
export function SentStatus({ latest }: { latest: MessageRecord | undefined }) {
  const client = useQueryClient();
  const isFailed = latest?.status === 'failed';
  useEffect(() => {
    if (isFailed) for (const { id } of spendingReads) void client.invalidateQueries({ queryKey: [id] });
  }, [client, isFailed]);
  return (
    <Group gap="xs" fz="sm" role="status">
      {latest && (
        <>
          <span>
            {channelTitles[latest.channel]} to <bdi className="number">{latest.to}</bdi>
          </span>
          <MessageBadge status={latest.status} />
          {isTroubled(latest) && <span>{meaningOf(latest)}</span>}
        </>
      )}
    </Group>
  );
}
