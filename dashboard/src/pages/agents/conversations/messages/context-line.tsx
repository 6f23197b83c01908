import { Progress } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { KeptMessage } from '#contract/agents/conversations.ts';
import { count, formatWhole } from '../../../../lib/format.ts';
import css from '../conversations.module.css';

type Context = NonNullable<InferOutput<typeof KeptMessage>['context']>;

/** How much of the model's context was used, and what was left out of it. */
export function ContextLine({ context: { window, used, droppedMessages, summarized } }: { context: Context }) {
  return (
    <div className={css.context}>
      <Progress value={(used / Math.max(1, window)) * 100} size={4} className={css.bar} aria-label="Context used" />
      <span>
        {formatWhole(used)} of {formatWhole(window)} tokens
      </span>
      {droppedMessages > 0 && (
        <span>
          {count(droppedMessages, 'earlier message')} {summarized ? 'summarized' : 'left out'}
        </span>
      )}
    </div>
  );
}
