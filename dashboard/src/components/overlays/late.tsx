import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useState } from 'react';
import { orReload } from '../../lib/or-reload.ts';

type Load<Props> = () => Promise<ComponentType<Props>>;

/** A component whose code is loaded when it is first open. */
export function late<Props extends object>(
  load: Load<Props>,
  isOpen: (props: Props) => boolean,
): (props: Props) => ReactNode {
  const Loaded: ComponentType<Props> = lazy(orReload(async () => ({ default: await load() })));
  return function Late(props) {
    const [isUsed, setUsed] = useState(isOpen(props));
    if (isOpen(props) && !isUsed) setUsed(true);
    return isUsed && <Suspense fallback={null}>{createElement(Loaded, props)}</Suspense>;
  };
}

/** A dialog of a page whose code is loaded when it is first opened. */
export const lateDialog = <Props extends { readonly isOpen: boolean }>(load: Load<Props>) =>
  late(load, ({ isOpen }) => isOpen);
