import { Button, Switch } from '@mantine/core';
import { Icon } from '../../../components/elements/icon.tsx';
import type { CodeRequest } from '../code/code-request.ts';
import { GetCodeButton } from '../code/get-code-button.tsx';
import css from './chat.module.css';
import type { Chat } from './state/use-chat.ts';

interface ChatToolbarProps {
  readonly chat: Chat;
  readonly onPresets: () => void;
  /** The request that code is wanted for. */
  readonly request: () => CodeRequest;
}

/** What concerns the whole conversation. */
export function ChatToolbar({ chat, onPresets, request }: ChatToolbarProps) {
  const { draft, threads, isRunning } = chat;
  const hasMessages = threads.some(({ items }) => items.length > 0);
  return (
    <>
      <Button
        size="xs"
        px={10}
        variant="subtle"
        leftSection={<Icon name="plus" size={16} />}
        // Its place is kept, so that nothing moves when it comes.
        style={{ visibility: hasMessages && !isRunning ? undefined : 'hidden' }}
        className={css.clear}
        onClick={chat.clear}
      >
        New chat
      </Button>
      <div className={css.toolbar}>
        <Switch
          size="xs"
          label="Compare"
          checked={draft.comparison !== undefined}
          disabled={isRunning}
          onChange={(event) => chat.setComparing(event.currentTarget.checked)}
        />
        <Button
          size="xs"
          px={10}
          variant="default"
          leftSection={<Icon name="bookmark" size={16} />}
          onClick={onPresets}
        >
          Presets
        </Button>
        <GetCodeButton request={request} />
      </div>
    </>
  );
}
