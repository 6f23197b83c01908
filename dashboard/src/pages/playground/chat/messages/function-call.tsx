import { Button, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { PlainText } from '../../parts/plain-text.tsx';
import { prettyJson } from '../../parts/pretty-json.ts';
import type { AssistantMessage, ChatMessage } from '../state/chat-item.ts';
import css from './messages.module.css';

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
