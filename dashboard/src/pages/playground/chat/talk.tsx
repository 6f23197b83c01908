import { Button, Text, Textarea } from '@mantine/core';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  lazy,
  memo,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Icon } from '../../../components/elements/icon.tsx';
import { ErrorBoundary } from '../../../components/feedback/error-boundary.tsx';
import { PlainText, StopButton, prettyJson } from '../tab/text.tsx';
import css from './chat.module.css';
import type { AssistantMessage, ChatMessage } from './thread.ts';

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

/** Enter sends, Shift and Enter begins a line. It is rendered when it changes, not with each piece of a response. */
export const Composer = memo(function Composer(props: ComposerProps) {
  const { label, placeholder = 'Hello', text, onChange, isRunning, isBlocked, onSend, onStop } = props;
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
          Send
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

/** A generated text, as Markdown or as it came. */
export function ResponseText({ text, isPlain, isStreaming }: ResponseTextProps) {
  const plain = <PlainText isStreaming={isStreaming}>{text}</PlainText>;
  return isPlain ? plain : <LazyMarkdown text={text} isStreaming={isStreaming} fallback={plain} />;
}

const load = () => import('../markdown/markdown.tsx');
const Markdown = lazy(load);

/** Loads the code that reads Markdown, before a text first needs it. */
export const preloadMarkdown = (): void => void load().catch(() => undefined);

interface LazyMarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
  /** The text as it came, which is shown where it cannot be read as Markdown. */
  readonly fallback: ReactNode;
}

/** A text as Markdown. Where the code cannot be loaded, or a text is too much for it, the plain text is shown. */
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

/** A function that the model calls, and the field for its result. */
export function FunctionCall({ call, isOpen, onResult }: FunctionCallProps) {
  const [result, setResult] = useState('');
  return (
    <div className={css.call}>
      <Text size="sm">
        Calls <strong className="mono">{call.name}</strong> with
      </Text>
      <div className="mono">
        <PlainText>{prettyJson(call.arguments)}</PlainText>
      </div>
      {isOpen && (
        <>
          <Textarea
            label="Function result"
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
            onClick={() => onResult({ role: 'function', name: call.name, content: result })}
          >
            Submit result
          </Button>
        </>
      )}
    </div>
  );
}
