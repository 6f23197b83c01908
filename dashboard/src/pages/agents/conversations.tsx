import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { conversationRoutes } from '#contract/routes/conversations.ts';
import { call, perform } from '../../api/call.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { notify } from '../../components/notifications.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { PagedList, useRoutePages } from '../../components/tables.tsx';
import { formatMoment } from '../../lib/format.ts';
import { useQuery } from '../../lib/hooks.ts';
import { agentPath, type AgentRecord, type ConversationRecord } from './agent.ts';
import css from './agents.module.css';
import { Chat } from './chat.tsx';

export function ConversationsTab({ agent }: { agent: AgentRecord }) {
  const [query, change] = useQuery();
  const id = query.get('conversation') ?? undefined;
  // Keeps `Chat` mounted when the first message gives a new conversation its id.
  const [begun, setBegun] = useState<readonly string[]>([]);
  const place = id === undefined ? begun.length : begun.indexOf(id);
  const begin = async (): Promise<string> => {
    const { pathname } = window.location;
    const created = await call(conversationRoutes.createConversation, { path: { id: agent.id } });
    setBegun((known) => [...known, created.id]);
    // Stay on the current page if the user has left this one.
    const now = new URLSearchParams(window.location.search);
    if (window.location.pathname === pathname && now.get('agent') === agent.id && !now.has('conversation'))
      change({ conversation: created.id });
    return created.id;
  };
  // Deletes a conversation whose first message failed. The turn may continue after a broken stream, so check first.
  const removeEmpty = async (conversationId: string): Promise<void> => {
    const path = { id: agent.id, conversationId };
    try {
      const { status, messageCount } = await call(conversationRoutes.getConversation, { path, query: { limit: '1' } });
      if (status !== 'idle' || messageCount > 0) return;
      await perform(conversationRoutes.deleteConversation, { path });
    } catch {
      // Keep it in the list, where the user can delete it.
      return;
    }
    setBegun((known) => known.filter((one) => one !== conversationId));
    if (new URLSearchParams(window.location.search).get('conversation') === conversationId)
      change({ conversation: undefined });
  };
  return (
    <div className={css.layout}>
      <Chat key={place < 0 ? id : place} agent={agent} id={id} onBegin={begin} onFailedBegin={removeEmpty} />
      <ConversationList agent={agent} current={id} />
    </div>
  );
}

/** Interval for reloading the list while a reply is being generated, in ms. */
const busyPollMs = 2000;

interface ConversationListProps {
  readonly agent: AgentRecord;
  /** Id of the open conversation. */
  readonly current: string | undefined;
}

function ConversationList({ agent, current }: ConversationListProps) {
  const path = { id: agent.id };
  const pages = useRoutePages({
    route: conversationRoutes.listConversations,
    input: (query) => ({ path, query }),
    rowsOf: ({ items }) => items,
    pollMs: (first) => first?.items.some(({ status }) => status === 'running') === true && busyPollMs,
  });
  const begin = (
    <Button
      component={Link}
      href={agentPath(agent.id)}
      variant="default"
      size="compact-md"
      leftSection={<Icon name="plus" size={16} />}
    >
      <Trans>New conversation</Trans>
    </Button>
  );
  return (
    <Panel title={t`Conversations`} aside={begin}>
      <PagedList
        pages={pages}
        empty={
          <Empty icon="playground" title={t`No conversations`}>
            <Trans>Send a message to start one.</Trans>
          </Empty>
        }
      >
        {(conversations) => (
          <ul className={css.list} aria-label={t`Conversations, newest first`}>
            {conversations.map((conversation) => (
              <ConversationRow
                key={conversation.id}
                agent={agent}
                conversation={conversation}
                isCurrent={conversation.id === current}
              />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}

interface ConversationRowProps {
  readonly agent: AgentRecord;
  readonly conversation: ConversationRecord;
  readonly isCurrent: boolean;
}

function stateText({ messageCount, status }: ConversationRecord): string {
  if (status === 'idle') return plural(messageCount, { one: '# message', other: '# messages' });
  return status === 'running'
    ? plural(messageCount, { one: '# message, replying', other: '# messages, replying' })
    : plural(messageCount, { one: '# message, requires action', other: '# messages, requires action' });
}

function ConversationRow({ agent, conversation, isCurrent }: ConversationRowProps) {
  const { id, createdAt, messageCount } = conversation;
  const [, go] = useLocation();
  const date = formatMoment(createdAt);
  async function remove(): Promise<void> {
    await perform(conversationRoutes.deleteConversation, { path: { id: agent.id, conversationId: id } });
    if (isCurrent) go(agentPath(agent.id), { replace: true });
    notify({ message: t`Conversation deleted.` });
  }
  return (
    <li className={css.row}>
      <Link
        href={agentPath(agent.id, { conversation: id })}
        className={css.link}
        aria-current={isCurrent ? 'page' : undefined}
      >
        {date}
        <span>{stateText(conversation)}</span>
      </Link>
      <DeleteButton
        label={t`Delete conversation of ${date}`}
        question={{
          title: t`Delete this conversation?`,
          text: plural(messageCount, {
            one: `It started on ${date} and has # message. This cannot be undone.`,
            other: `It started on ${date} and has # messages. This cannot be undone.`,
          }),
          action: t`Delete conversation`,
        }}
        onDelete={remove}
        invalidates={[conversationRoutes.listConversations]}
      />
    </li>
  );
}
