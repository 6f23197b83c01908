import { Button, Group, Textarea } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import css from './messages.module.css';

interface MessageEditorProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** A message that is being edited. Enter sends, Shift and Enter begins a line, Escape cancels. */
export function MessageEditor({ text: before, onSave, onCancel }: MessageEditorProps) {
  const [text, setText] = useState(before);
  const canSave = text.trim() !== '';
  const place = useRef<HTMLDivElement>(null);
  // The focus brings the field into sight, but not its label. What the call returns is no clean-up: a promise in new browsers.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') onCancel();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || !canSave) return;
    event.preventDefault();
    onSave(text.trim());
  }

  return (
    <div ref={place} className={css.editor}>
      <Textarea
        label="Edit message"
        description="Later messages are replaced by a new response"
        autosize
        autoFocus
        minRows={1}
        maxRows={10}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="compact-md" variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="compact-md" disabled={!canSave} onClick={() => onSave(text.trim())}>
          Send
        </Button>
      </Group>
    </div>
  );
}
