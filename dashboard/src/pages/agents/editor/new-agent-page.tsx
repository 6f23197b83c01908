import { Anchor, Stack } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { call } from '../../../api/call.ts';
import { Page } from '../../../components/layout/page.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { agentPath } from '../agent.ts';
import { newAgent } from './agent-draft.ts';
import { AgentForm } from './agent-form.tsx';
import { agentBody, newAgentValues } from './agent-values.ts';
import { useAgentForm } from './use-agent-form.ts';

export default function NewAgentPage() {
  const [, go] = useLocation();
  const form = useAgentForm({
    name: newAgent,
    saved: newAgentValues,
    act: (values) => call(agentRoutes.createAgent, { body: agentBody(values) }),
    onDone: ({ id }) => go(agentPath(id)),
  });
  return (
    <Page title="New agent" lead="Only a name is required. You can change everything later.">
      <Stack gap="lg">
        <Panel title="Settings">
          <AgentForm form={form} action="Create agent" />
        </Panel>
        <Anchor component={Link} href="/agents" size="sm">
          All agents
        </Anchor>
      </Stack>
    </Page>
  );
}
