import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { orReload } from '../../lib/load.ts';
import { ErrorBoundary } from '../boundary.tsx';
import type { Session } from '../page-links.ts';

const Palette = lazy(orReload(() => import('./palette.tsx')));

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Label of the keyboard shortcut on this system. */
export const paletteKeys = isApple ? '⌘ K' : 'Ctrl K';

/** Focus and URL when the palette was opened. */
interface Origin {
  readonly element: Element | null;
  readonly href: string;
}

const isPaletteKey = (event: KeyboardEvent): boolean =>
  (isApple ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';

/** The command palette, whose code is loaded when it is first opened, by its shortcut or by `open`. */
export function usePalette(session: Session): { readonly palette: ReactNode; readonly open: () => void } {
  const [state, setState] = useState<'unopened' | 'open' | 'closed'>('unopened');
  const origin = useRef<Origin>(undefined);
  const open = useCallback(() => {
    origin.current = { element: document.activeElement, href: window.location.href };
    setState('open');
  }, []);
  const close = useCallback(() => {
    setState('closed');
    // A newly opened page moves the focus to its own heading.
    const { element, href } = origin.current ?? {};
    if (element instanceof HTMLElement && href === window.location.href) element.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      // Do not cover another dialog, which may show a key that is displayed only once.
      if (state === 'open') close();
      else if (!document.querySelector('[role="dialog"][aria-modal="true"]')) open();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [state, open, close]);
  const palette = state !== 'unopened' && (
    <ErrorBoundary fallback={() => null}>
      <Suspense fallback={null}>
        <Palette session={session} isOpen={state === 'open'} onClose={close} />
      </Suspense>
    </ErrorBoundary>
  );
  return { palette, open };
}
