import { Button, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { Empty } from '../../components/feedback/empty.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { DetailsDrawer, useOpened } from '../../components/overlays/details-drawer.tsx';
import { PagedList, RefreshButton } from '../../components/tables/paged-list.tsx';
import type { Pages } from '../../components/tables/use-pages.ts';
import { MessageDetails } from './message-details.tsx';
import { MessageTable } from './message-table.tsx';
import type { MessageRecord } from './message.tsx';
import css from './messages.module.css';
import { choices, type useFilters } from './use-filters.ts';

interface MessagesPanelProps {
  readonly pages: Pages<MessageRecord>;
  readonly filters: ReturnType<typeof useFilters>;
  /** False while the same error stands above. */
  readonly isErrorShown: boolean;
  readonly onAgain: ((message: MessageRecord) => void) | undefined;
  /** What stands where there is no message at all. */
  readonly empty: ReactNode;
}

/** The messages that match the filters, and the details of one. */
export function MessagesPanel({ pages, filters, isErrorShown, onAgain, empty }: MessagesPanelProps) {
  const { values, set } = filters;
  const { item: opened, isOpen, open, close } = useOpened<MessageRecord>();
  return (
    <Panel title="Messages from the last 30 days" aside={<RefreshButton pages={pages} />}>
      <div className={css.filters}>
        <NativeSelect
          label="Channel"
          data={choices.channel}
          value={values.channel}
          onChange={(event) => set.channel(event.currentTarget.value)}
        />
        <NativeSelect
          label="Status"
          data={choices.status}
          value={values.status}
          onChange={(event) => set.status(event.currentTarget.value)}
        />
      </div>
      <PagedList
        pages={pages}
        isErrorShown={isErrorShown}
        empty={filters.isFiltered ? <NoMatch {...filters} /> : empty}
      >
        {(messages) => <MessageTable messages={messages} onOpen={open} />}
      </PagedList>
      <DetailsDrawer
        title={opened?.channel === 'voice_call' ? 'Voice call' : 'SMS'}
        size={460}
        // A status that it is filtered by may change while it is open.
        item={pages.data?.find(({ id }) => id === opened?.id) ?? opened}
        isOpen={isOpen}
        onClose={close}
      >
        {(message) => (
          <MessageDetails
            message={message}
            onAgain={
              onAgain &&
              ((like) => {
                close();
                onAgain(like);
              })
            }
          />
        )}
      </DetailsDrawer>
    </Panel>
  );
}

function NoMatch({ clear }: Pick<ReturnType<typeof useFilters>, 'clear'>) {
  return (
    <Empty
      icon="messages"
      title="No messages match these filters"
      action={
        <Button variant="default" onClick={clear}>
          Clear filters
        </Button>
      }
    />
  );
}
