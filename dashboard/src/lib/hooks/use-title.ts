import { type RefObject, useEffect, useRef } from 'react';

let isFirstPage = true;

/**
 * Names the document, and takes the keyboard to the page's heading when one comes from another page, so that screen
 * readers announce the page. The first page keeps the browser's own focus.
 */
export function useTitle(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Text AI platform`;
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
