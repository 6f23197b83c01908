import { useId } from 'react';
import type { InferOutput } from 'valibot';
import type { KeptMessage } from '#contract/agents/conversations.ts';
import { Icon } from '../../../../components/elements/icon.tsx';
import { formatWhole } from '../../../../lib/format.ts';
import css from '../conversations.module.css';

type Source = NonNullable<InferOutput<typeof KeptMessage>['sources']>[number];

/** The passages that the model was sent, nearest first. Their texts are not given by the API. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  const id = useId();
  if (sources.length === 0) return null;
  return (
    <section className={css.sources}>
      <span id={id}>Passages sent to the model</span>
      <ul aria-labelledby={id}>
        {sources.map(({ documentId, name, start, end, score }) => (
          <li key={`${documentId}-${start}`}>
            <Icon name="docs" size={15} />
            <bdi className={css.document}>{name}</bdi>
            <span>
              characters {formatWhole(start)}–{formatWhole(end)}
            </span>
            <span>score {score.toFixed(2)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
