import { Progress, Text } from '@mantine/core';
import { limits } from '#contract/shared/limits.ts';
import { formatWhole } from '../../../lib/format.ts';

/** How many passages the documents of an agent have, of those that they may have. */
export function ChunkMeter({ chunks }: { chunks: number }) {
  const share = (chunks / limits.agentChunks) * 100;
  return (
    <div>
      <Progress
        value={chunks === 0 ? 0 : Math.max(1, share)}
        size={6}
        color={share > 90 ? 'yellow.7' : 'pine'}
        aria-label="Passages used"
      />
      <Text size="xs" c="dimmed" mt={4} className="number">
        {formatWhole(chunks)} of {formatWhole(limits.agentChunks)} passages used
      </Text>
    </div>
  );
}
