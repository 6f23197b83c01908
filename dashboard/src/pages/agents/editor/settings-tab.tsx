import { useMemo } from 'react';
import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { call } from '../../../api/call.ts';
import { notify } from '../../../components/feedback/notifications.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { rescueFocus } from '../../../lib/rescue-focus.ts';
import type { AgentRecord } from '../agent.ts';
import { AgentForm } from './agent-form.tsx';
import { agentBody, changesOf, valuesOf } from './agent-values.ts';
import { useAgentForm } from './use-agent-form.ts';

/** The settings of an agent; another version begins again, with what is not saved. */
export const SettingsTab = ({ agent }: { agent: AgentRecord }) => <Settings key={agent.version} agent={agent} />;

function Settings({ agent }: { agent: AgentRecord }) {
  const { id, version } = agent;
  const saved = useMemo(() => valuesOf(agent), [agent]);
  const form = useAgentForm({
    name: id,
    saved,
    act: (values) => {
      const names = new Set(Object.keys(changesOf(values, saved)));
      const body = Object.fromEntries(Object.entries(agentBody(values)).filter(([name]) => names.has(name)));
      return call(agentRoutes.changeAgent, { path: { id }, body });
    },
    onDone: (changed) => {
      const isOthers = changed.version > version + 1;
      notify({
        message: `Saved as version ${changed.version}.${isOthers ? ' The agent had also been changed elsewhere.' : ''}`,
      });
      rescueFocus();
    },
  });
  return (
    <Panel title={`Settings, version ${version}`}>
      <AgentForm
        form={form}
        action="Save"
        isDisabled={!form.isChanged}
        hint="Each saved change creates a new version. Replies show the version they came from."
      />
    </Panel>
  );
}
