import { type RefObject, useEffect, useRef, useState } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';
import { offer } from '#contract/offer/current-offer.ts';

let isFirstPage = true;

/**
 * Sets the document's title. After a navigation, focuses the page's heading, so that screen readers announce the page.
 * The first page keeps the browser's focus.
 */
export function useTitle(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${offer.product.name}`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) {
      window.scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
    isFirstPage = false;
  }, []);
  return heading;
}

/** Scrolls to the section that the URL's hash names, and focuses its heading. Call it in the component of a page. */
export function useSection(): void {
  const hash = useLocationProperty(
    () => window.location.hash,
    () => '',
  );
  useEffect(() => {
    const section = hash === '' ? null : document.querySelector(`section[id="${CSS.escape(hash.slice(1))}"]`);
    section?.scrollIntoView();
    section?.querySelector('h2')?.focus({ preventScroll: true });
  }, [hash]);
}

/** Longer than a dialog needs to return the focus to the element that opened it. */
const afterReturnMs = 50;

/** Focuses an element after a dialog has closed. */
export function focusAfterDialog(selector: string): void {
  setTimeout(() => document.querySelector<HTMLElement>(selector)?.focus(), afterReturnMs);
}

/** Focuses the page's content if the focused element was removed or disabled. */
export function rescueFocus(): void {
  setTimeout(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost) document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
  }, afterReturnMs);
}

/**
 * Returns false on the first render, then `isWanted`: an overlay that is open when it mounts has no element to return
 * the focus to.
 */
export function useOpening(isWanted: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isMounted && isWanted;
}
