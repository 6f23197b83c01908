import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { prices } from '#contract/billing/prices.ts';
import { Empty } from '../../../../components/feedback/empty.tsx';
import { creditCount } from '../../../../lib/format.ts';
import { type AgentRecord, agentPath } from '../../agent.ts';

/** What stands where nothing was sent yet. */
export function FirstMessage({ agent }: { agent: AgentRecord }) {
  return (
    <Empty icon="playground" title="No messages yet">
      Send a message; each reply costs {creditCount(prices.chat.credits)}.
      {agent.chunks === 0 && (
        <>
          {' '}
          <Anchor component={Link} href={agentPath(agent.id, { tab: 'documents' })} inherit underline="always">
            Add a document
          </Anchor>{' '}
          for replies that cite their sources.
        </>
      )}
    </Empty>
  );
}
