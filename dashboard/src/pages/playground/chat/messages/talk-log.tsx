import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import css from './messages.module.css';

interface TalkLogProps {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly label: string;
  /** How many messages there are. */
  readonly length: number;
  /** Another value whenever what is shown is another. */
  readonly content: unknown;
  readonly isRunning: boolean;
  readonly children: ReactNode;
}

/** So near to the end one reads along. */
const nearEndPx = 48;

/** Messages, the newest in sight while one reads along. It can be scrolled by keyboard, so it takes the focus. */
export function TalkLog({ ref: place, label, length, content, isRunning, children }: TalkLogProps) {
  const isAtEnd = useRef(true);
  /** How far it was last scrolled from here: less is the reader's doing, whose scroll event may be still to come. */
  const top = useRef(0);
  // A message more is always shown; one that grows, where its end was in sight.
  useLayoutEffect(() => {
    isAtEnd.current = true;
    top.current = 0;
  }, [length]);
  useLayoutEffect(() => {
    const { current: log } = place;
    if (!log || !isAtEnd.current || log.scrollTop < top.current - nearEndPx) return;
    log.scrollTop = log.scrollHeight;
    top.current = log.scrollTop;
  }, [place, content]);
  return (
    <div
      ref={place}
      className={css.talk}
      role="log"
      aria-label={label}
      aria-busy={isRunning}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx;
      }}
    >
      {children}
    </div>
  );
}
