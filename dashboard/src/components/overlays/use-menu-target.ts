import { type RefObject, useRef } from 'react';

interface MenuTarget {
  /** The menu's button. */
  readonly ref: RefObject<HTMLButtonElement | null>;
  /** An item's action that opens a dialog. */
  readonly opening: (open: () => void) => () => void;
}

/** A menu whose items open dialogs: a dialog returns the focus to what has it now, which must not be an item of the closing menu. */
export function useMenuTarget(): MenuTarget {
  const ref = useRef<HTMLButtonElement>(null);
  const opening = (open: () => void) => () => {
    ref.current?.focus();
    open();
  };
  return { ref, opening };
}
