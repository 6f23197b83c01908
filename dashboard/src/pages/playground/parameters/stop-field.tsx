import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { limits } from '#contract/shared/limits.ts';

interface StopFieldProps {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((line, index) => line === others[index]);

/** Stop sequences, one in each line; lines beyond the most that a request may have are not taken. */
export function StopField({ value, onChange }: StopFieldProps) {
  const [text, setText] = useState(() => value.join('\n'));
  // An empty line stays while it is typed; a preset replaces all.
  if (!isSame(linesOf(text), value)) setText(value.join('\n'));

  function change(next: string): void {
    const lines = linesOf(next);
    if (lines.length > limits.stopSequences) return;
    setText(next);
    onChange(lines);
  }

  return (
    <Textarea
      label="Stop sequences"
      description={`One per line, at most ${limits.stopSequences}`}
      autosize
      minRows={1}
      maxRows={limits.stopSequences}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
