import { agentService } from '#domain/agents/agent.ts';
import { conversationService } from '#domain/agents/conversation.ts';
import { documentList, indexingEnds } from '#domain/agents/document.ts';
import { agentStore } from '#repositories/agents/agents.ts';
import { conversationStore } from '#repositories/agents/conversations.ts';
import { documentStore } from '#repositories/agents/documents.ts';
import { purger } from '#repositories/agents/purge.ts';
import { lazy } from '../process.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

export function agentServices(
  { clock, random, table, metering }: Pick<CoreServices, 'clock' | 'random' | 'table' | 'metering'>,
  enforceChangeLimit: (accountId: number) => Promise<void>,
) {
  const stored = <Store>(build: (client: ReturnType<typeof dynamoClient>, name: string) => Store) =>
    lazy(() => build(dynamoClient(), table('agents')));
  const management = lazy(() => agentService({ agents: stored(agentStore)(), enforceChangeLimit, clock, random }));
  const documents = lazy(() => documentStore(dynamoClient(), table('agents'), () => table('meters')));
  const ends = lazy(() => indexingEnds({ documents: documents(), metering: metering(), clock }));
  const conversations = stored(conversationStore);
  return {
    management,
    documents: lazy(() => documentList({ agents: management(), documents: documents(), enforceChangeLimit, clock })),
    indexingEnds: ends,
    conversations: lazy(() =>
      conversationService({ agents: management(), conversations: conversations(), enforceChangeLimit, clock, random }),
    ),
    purgeRest: (signal?: AbortSignal) => stored(purger)().purgePending(signal),
  };
}
