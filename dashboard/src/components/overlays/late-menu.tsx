import { type ReactNode, Suspense, useState } from 'react';

interface ButtonProps {
  readonly onClick: () => void;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly 'aria-haspopup': 'menu';
  readonly 'aria-expanded': boolean;
}

interface LateMenuProps {
  readonly load: () => Promise<unknown>;
  /** The button until then. */
  readonly button: (props: ButtonProps) => ReactNode;
  /** The menu with its button, which takes the focus over. */
  readonly menu: (props: { readonly isOpen: boolean; readonly onChange: (isOpen: boolean) => void }) => ReactNode;
}

/** A menu whose code is loaded when its button is first pointed at, focused or pressed. */
export function LateMenu({ load, button, menu }: LateMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  // Where it cannot be loaded, opening it shows that.
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
