import { NativeSelect, Textarea } from '@mantine/core';
import { memo } from 'react';
import * as v from 'valibot';
import { modelChoices, Parameters } from '../parameters/parameters.tsx';
import { modelId, type Sampling } from '../parameters/sampling.ts';
import { FunctionsField } from './functions/functions-field.tsx';
import { parseFunctions } from './functions/parse-functions.ts';
import type { Chat } from './state/use-chat.ts';

/** Tokens that a reply may have unless the request sets a maximum (docs/design/inference.md). */
const defaultMaxTokens = 1024;

interface ChatParametersProps {
  readonly sampling: Sampling;
  readonly system: string;
  readonly functions: string;
  /** Where two models are compared. */
  readonly secondModel: string | undefined;
  readonly change: Chat['change'];
}

/** The parameters of a chat, which both models share where two are compared. Rendered when they change, not with each message. */
export const ChatParameters = memo(function ChatParameters(props: ChatParametersProps) {
  const { sampling, system, functions, secondModel, change } = props;

  function compareWith(model: string): void {
    if (!v.is(modelId, model)) return;
    change(({ comparison, ...draft }) => ({ ...draft, comparison: comparison && { ...comparison, model } }));
  }

  return (
    <Parameters
      value={sampling}
      onChange={(next) => change({ sampling: next })}
      defaultMaxTokens={defaultMaxTokens}
      secondModel={
        secondModel !== undefined && (
          <NativeSelect
            label="Compare with"
            data={modelChoices}
            value={secondModel}
            onChange={(event) => compareWith(event.currentTarget.value)}
          />
        )
      }
    >
      <Textarea
        label="System message"
        autosize
        minRows={2}
        maxRows={6}
        value={system}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      <FunctionsField
        value={functions}
        error={parseFunctions(functions).error}
        onChange={(text) => change({ functions: text })}
      />
    </Parameters>
  );
});
