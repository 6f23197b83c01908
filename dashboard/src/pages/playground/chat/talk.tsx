import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text, Textarea } from '@mantine/core';
import {
  type KeyboardEvent,
  lazy,
  memo,
  type ReactNode,
  type RefObject,
  Suspense,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { ErrorBoundary } from '../../../components/boundary.tsx';
import { Icon } from '../../../components/icon.tsx';
import { PlainText, prettyJson, StopButton } from '../tab/text.tsx';
import css from './chat.module.css';
import type { AssistantMessage, ChatMessage } from './thread.ts';

interface TalkLogProps {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly label: string;
  /** Number of messages. */
  readonly length: number;
  /** Changes whenever the displayed content changes. */
  readonly content: unknown;
  readonly isRunning: boolean;
  readonly children: ReactNode;
}

/** Distance from the end within which the log follows new content, in pixels. */
const nearEndPx = 48;

/**
 * A log of messages that scrolls with new content while its end is visible. Focusable, so that it can be scrolled with
 * the keyboard.
 */
export function TalkLog({ ref: place, label, length, content, isRunning, children }: TalkLogProps) {
  const isAtEnd = useRef(true);
  /**
   * Last automatic scroll position. A smaller one means that the user has scrolled, even before the scroll event
   * arrives.
   */
  const top = useRef(0);
  // A new message is always scrolled into view; a growing one only if its end was visible.
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

interface ComposerProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly isRunning: boolean;
  readonly isBlocked: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** Enter sends, Shift+Enter inserts a line. Memoized, so that streamed pieces do not render it. */
export const Composer = memo(function Composer(props: ComposerProps) {
  const { label, placeholder = t`Hello`, text, onChange, isRunning, isBlocked, onSend, onStop } = props;
  const canSend = text.trim() !== '' && !isRunning && !isBlocked;

  function send(): void {
    if (!canSend) return;
    onSend(text.trim());
    onChange('');
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <div className={css.composer}>
      <Textarea
        label={label}
        placeholder={placeholder}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isRunning ? (
        <StopButton onClick={onStop} />
      ) : (
        <Button leftSection={<Icon name="send" size={16} />} disabled={!canSend} onClick={send}>
          <Trans>Send</Trans>
        </Button>
      )}
    </div>
  );
});

interface ResponseTextProps {
  readonly text: string;
  readonly isPlain: boolean;
  readonly isStreaming: boolean;
}

export function ResponseText({ text, isPlain, isStreaming }: ResponseTextProps) {
  const plain = <PlainText isStreaming={isStreaming}>{text}</PlainText>;
  return isPlain ? plain : <LazyMarkdown text={text} isStreaming={isStreaming} fallback={plain} />;
}

const load = () => import('../markdown/markdown.tsx');
const Markdown = lazy(load);

/** Loads the Markdown renderer before the first response. */
export const preloadMarkdown = (): void => void load().catch(() => undefined);

interface LazyMarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
  /** Plain text, displayed while the renderer loads or if it fails. */
  readonly fallback: ReactNode;
}

function LazyMarkdown({ text, isStreaming, fallback }: LazyMarkdownProps) {
  return (
    <ErrorBoundary fallback={() => fallback}>
      <Suspense fallback={fallback}>
        <Markdown text={text} isStreaming={isStreaming} />
      </Suspense>
    </ErrorBoundary>
  );
}

interface FunctionCallProps {
  readonly call: NonNullable<AssistantMessage['function_call']>;
  /** True while the model waits for the result. */
  readonly isOpen: boolean;
  readonly onResult: (message: ChatMessage) => void;
}

/** A function call of the model, with a field for its result. */
export function FunctionCall({ call, isOpen, onResult }: FunctionCallProps) {
  const [result, setResult] = useState('');
  const { name } = call;
  return (
    <div className={css.call}>
      <Text size="sm">
        <Trans>
          Calls <strong className="mono">{name}</strong> with
        </Trans>
      </Text>
      <div className="mono">
        <PlainText>{prettyJson(call.arguments)}</PlainText>
      </div>
      {isOpen && (
        <>
          <Textarea
            label={t`Function result`}
            autosize
            minRows={1}
            placeholder={'{"ok": true}'}
            value={result}
            onChange={(event) => setResult(event.currentTarget.value)}
          />
          <Button
            size="compact-md"
            style={{ justifySelf: 'start' }}
            disabled={result.trim() === ''}
            onClick={() => onResult({ role: 'function', name, content: result })}
          >
            <Trans>Submit result</Trans>
          </Button>
        </>
      )}
    </div>
  );
}
