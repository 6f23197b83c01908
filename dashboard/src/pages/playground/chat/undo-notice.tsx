import { Anchor } from '@mantine/core';
import css from './chat.module.css';
import type { Chat } from './state/use-chat.ts';

/** What was replaced last, until the next message. */
export function UndoNotice({ chat: { undoable, undo } }: { chat: Chat }) {
  return (
    <div role="status" className={css.undo}>
      {undoable && (
        <>
          <span>{undoable.change}</span>
          <Anchor component="button" type="button" inherit onClick={undo}>
            Undo
          </Anchor>
        </>
      )}
    </div>
  );
}
