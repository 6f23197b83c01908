import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { messagesPlan } from '#contract/billing/plans.ts';
import { prices } from '#contract/billing/prices.ts';
import { configQuery } from '../../api/config.ts';
import { useHasFeature, useMe, useSubscription } from '../../api/reads.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { useClear } from '../../components/filters.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, NotInPlan, Page, Panel } from '../../components/page.tsx';
import { focusAfterDialog } from '../../lib/focus.ts';
import { creditCount } from '../../lib/format.ts';
import { planTitle } from '../../lib/offer.ts';
import { Composer } from './composer.tsx';
import { type Draft, draftLike, type MessageRecord } from './message.ts';
import { MessagesPanel, useFilters, useMessages } from './messages-panel.tsx';
import css from './messages.module.css';

export default function MessagesPage() {
  const { data: me } = useMe();
  return (
    <Page
      title={t`Messages`}
      lead={t`Send SMS messages and voice calls. Only messages that do not reach the carrier are refunded.`}
    >
      {me?.isConfirmed === false ? <Unconfirmed email={me.email} /> : <Messages />}
    </Page>
  );
}

function Messages() {
  const { isPending } = useQuery(configQuery);
  const { error, refetch } = useSubscription();
  const hasMessages = useHasFeature('messages');
  const { filters, requested } = useFilters();
  const clear = useClear(filters);
  const pages = useMessages(requested);
  const [sent, setSent] = useState<MessageRecord>();
  const [isReached, setReached] = useState(true);
  const [again, setAgain] = useState<{ readonly draft: Draft; readonly turn: number }>();

  function startAgain(message: MessageRecord): void {
    setAgain((last) => ({ draft: draftLike(message), turn: (last?.turn ?? 0) + 1 }));
    focusAfterDialog('[data-path="text"]');
  }

  if (error && hasMessages === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  // Content that loads later would move everything below it.
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
            clear();
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
          <Empty icon="messages" title={t`No messages yet`}>
            <Trans>Messages appear here with their status.</Trans>{' '}
            <Anchor component={Link} href="/guides/messages" display="inline-block" inherit underline="always">
              <Trans>How messages work</Trans>
            </Anchor>
          </Empty>
        }
      />
    </Stack>
  );
}

function NoPlan() {
  return (
    <Panel title={t`New message`}>
      <NotInPlan icon="messages" title={t`Messages aren’t included in your plan`}>
        {messagesPlan.name === undefined
          ? t`No plan includes messages.`
          : t`Available on ${{ plan: planTitle(messagesPlan.name) }} and larger plans, for ${{ credits: creditCount(prices.sms.credits) }} each.`}
      </NotInPlan>
    </Panel>
  );
}
