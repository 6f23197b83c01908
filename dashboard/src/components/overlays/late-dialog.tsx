import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useState } from 'react';
import { orReload } from '../../lib/or-reload.ts';

/** A dialog whose code is loaded when it is first opened. */
export function lateDialog<Props extends { readonly isOpen: boolean }>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  const Dialog: ComponentType<Props> = lazy(orReload(async () => ({ default: await load() })));
  return function LateDialog(props) {
    const [isUsed, setUsed] = useState(props.isOpen);
    if (props.isOpen && !isUsed) setUsed(true);
    return isUsed && <Suspense fallback={null}>{createElement(Dialog, props)}</Suspense>;
  };
}
