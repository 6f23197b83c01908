import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { perform } from '../../api/call.ts';
import { toApiError } from '../../api/http/api-error.ts';
import { useAction } from '../../api/use-data.ts';
import { Icon } from '../../components/elements/icon.tsx';
import { notify } from '../../components/feedback/notifications.tsx';
import { confirm } from '../../components/overlays/confirm.tsx';
import { type AgentRecord, isAbout } from './agent.ts';
import { keepDraft } from './editor/agent-draft.ts';

export function DeleteAgent({ agent: { id, name } }: { agent: AgentRecord }) {
  const [, go] = useLocation();
  const client = useQueryClient();
  const deletion = useAction(async () => {
    try {
      await perform(agentRoutes.deleteAgent, { path: { id } });
    } catch (error) {
      notify({ message: toApiError(error).message, color: 'red' });
      throw error;
    }
    keepDraft(id, {});
    go('/agents', { replace: true });
    // Back leads to nothing that is no more.
    client.removeQueries({ predicate: ({ queryKey }) => isAbout(queryKey, id) });
    notify({ message: `“${name}” is deleted.` });
  }, [agentRoutes.listAgents]);
  return (
    <Button
      variant="default"
      leftSection={<Icon name="trash" size={16} />}
      loading={deletion.isRunning}
      onClick={() =>
        confirm({
          title: `Delete “${name}”?`,
          text: 'Its documents and all conversations with it are deleted too. This cannot be undone.',
          action: 'Delete agent',
          onConfirm: () => void deletion.run(undefined),
        })
      }
    >
      Delete agent
    </Button>
  );
}
