import { Button, Textarea } from '@mantine/core';
import { type KeyboardEvent, memo } from 'react';
import { Icon } from '../../../components/elements/icon.tsx';
import { StopButton } from '../parts/stop-button.tsx';
import css from './chat.module.css';

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
