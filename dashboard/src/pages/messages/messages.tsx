import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { configQuery } from '../../api/config.ts';
import { useMe, useSubscription } from '../../api/reads.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Page } from '../../components/layout/page.tsx';
import { focusAfterDialog } from '../../lib/rescue-focus.ts';
import { Unconfirmed } from '../overview/unconfirmed.tsx';
import { Composer } from './compose/composer.tsx';
import { type Draft, draftLike } from './compose/draft.ts';
import { NoPlan } from './compose/no-plan.tsx';
import { useHasMessages } from './has-messages.ts';
import type { MessageRecord } from './message.tsx';
import { MessagesPanel } from './messages-panel.tsx';
import css from './messages.module.css';
import { useFilters } from './use-filters.ts';
import { useMessages } from './use-messages.ts';

/** SMS and calls: a new one, and what became of those before. */
export default function MessagesPage() {
  const { data: me } = useMe();
  return (
    <Page
      title="Messages"
      lead="Send SMS messages and voice calls. Only messages that do not reach the carrier are refunded."
    >
      {me?.isConfirmed === false ? <Unconfirmed email={me.email} /> : <Messages />}
    </Page>
  );
}

function Messages() {
  const { isPending } = useQuery(configQuery);
  const { error, refetch } = useSubscription();
  const hasMessages = useHasMessages();
  const filters = useFilters();
  const pages = useMessages(filters);
  const [sent, setSent] = useState<MessageRecord>();
  const [isReached, setReached] = useState(true);
  const [again, setAgain] = useState<{ readonly draft: Draft; readonly turn: number }>();

  function startAgain(message: MessageRecord): void {
    setAgain((last) => ({ draft: draftLike(message), turn: (last?.turn ?? 0) + 1 }));
    focusAfterDialog('[data-path="text"]');
  }

  if (error && hasMessages === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  // What comes later would move what stands below it.
  if (hasMessages === undefined || isPending) return <Skeleton className={css.waiting} radius="lg" />;
  return (
    <Stack gap="lg">
      {hasMessages ? (
        <Composer
          key={again?.turn}
          initial={again?.draft}
          latest={pages.data?.find(({ id }) => id === sent?.id) ?? sent}
          onSending={() => setSent(undefined)}
          onReached={setReached}
          onSent={(message) => {
            setSent(message);
            filters.clear();
          }}
        />
      ) : (
        <NoPlan />
      )}
      <MessagesPanel
        pages={pages}
        filters={filters}
        isErrorShown={isReached}
        onAgain={hasMessages ? startAgain : undefined}
        empty={
          <Empty icon="messages" title="No messages yet">
            Messages appear here with their status.{' '}
            <Anchor component={Link} href="/guides/messages" display="inline-block" inherit underline="always">
              How messages work
            </Anchor>
          </Empty>
        }
      />
    </Stack>
  );
}
