import { Text } from '@mantine/core';
import talk from '../../../playground/chat/chat.module.css';
import { FunctionCall } from '../../../playground/chat/talk.tsx';
import { ResponseText } from '../../../playground/chat/talk.tsx';
import { Caret, PlainText } from '../../../playground/tab/text.tsx';
import type { PendingTurn } from '../turn.ts';

interface PendingTurnViewProps {
  readonly turn: PendingTurn;
  readonly isRunning: boolean;
}

/** A turn that is not kept yet: what was sent, and the reply as far as it has come. */
export function PendingTurnView({ turn: { sent, text, call }, isRunning }: PendingTurnViewProps) {
  const result = sent.functionResults?.[0];
  return (
    <>
      <div className={result ? talk.message : `${talk.message} ${talk.byUser}`}>
        <Author>{result ? 'Function result' : 'You'}</Author>
        <div className={talk.bubble}>
          <PlainText>{result?.content ?? sent.content}</PlainText>
        </div>
      </div>
      {(isRunning || text !== '' || call) && (
        <div className={talk.message}>
          <Author>{isRunning ? 'Agent' : 'Agent, interrupted'}</Author>
          {text === '' && !call && <Caret />}
          {text !== '' && <ResponseText text={text} isPlain={false} isStreaming={isRunning} />}
          {call && <FunctionCall call={call} isOpen={false} onResult={() => undefined} />}
        </div>
      )}
    </>
  );
}

const Author = ({ children }: { children: string }) => (
  <Text size="xs" c="dimmed" component="div">
    <strong>{children}</strong>
  </Text>
);
