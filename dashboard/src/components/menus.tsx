import { type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';

interface ButtonProps {
  readonly onClick: () => void;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly 'aria-haspopup': 'menu';
  readonly 'aria-expanded': boolean;
}

interface LateMenuProps {
  readonly load: () => Promise<unknown>;
  /** Renders the button before the code has loaded. */
  readonly button: (props: ButtonProps) => ReactNode;
  /** Renders the menu with its button, which receives the focus. */
  readonly menu: (props: { readonly isOpen: boolean; readonly onChange: (isOpen: boolean) => void }) => ReactNode;
}

/** A menu whose code is loaded when its button is first hovered, focused or pressed. */
export function LateMenu({ load, button, menu }: LateMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  // Ignore a failed preload: opening the menu reports the error.
  const preload = () => void load().catch(() => undefined);
  function open(): void {
    setUsed(true);
    setOpen(true);
  }
  const early = button({
    onClick: open,
    onPointerEnter: preload,
    onFocus: preload,
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  });
  return isUsed ? <Suspense fallback={early}>{menu({ isOpen, onChange: setOpen })}</Suspense> : early;
}

interface MenuTarget {
  /** Ref of the menu's button. */
  readonly ref: RefObject<HTMLButtonElement | null>;
  /** Wraps the action of an item that opens a dialog. */
  readonly opening: (open: () => void) => () => void;
}

/**
 * For a menu whose items open dialogs. Moves the focus to the menu's button first, because a dialog returns it to the
 * focused element, and the item disappears with the menu.
 */
export function useMenuTarget(): MenuTarget {
  const ref = useRef<HTMLButtonElement>(null);
  const opening = (open: () => void) => () => {
    ref.current?.focus();
    open();
  };
  return { ref, opening };
}
