import { NativeSelect, Stack, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import { planOfRank } from '#contract/billing/plans.ts';
import { samplingDefaults } from '#contract/inference/inference-fields.ts';
import { WholeNumberField } from '../../../components/forms/whole-number-field.tsx';
import { formatWhole } from '../../../lib/format.ts';
import { planTitle } from '../../../lib/names.ts';
import { modelId, type Sampling, samplingErrors, textModels } from './sampling.ts';
import { SliderField } from './slider-field.tsx';
import { StopField } from './stop-field.tsx';

interface ParametersProps {
  readonly value: Sampling;
  readonly onChange: (value: Sampling) => void;
  readonly defaultMaxTokens: number;
  /** A field below that of the model. */
  readonly secondModel?: ReactNode;
  /** What else the tab has. */
  readonly children?: ReactNode;
}

export const modelChoices = textModels.map(({ id, contextWindow, minPlanRank }) => ({
  value: id,
  label:
    minPlanRank > 1
      ? `${id} (${planTitle(planOfRank(minPlanRank).name)})`
      : `${id} (${formatWhole(contextWindow)} tokens)`,
}));

/** The parameters of a text model. */
export function Parameters({ value, onChange, defaultMaxTokens, secondModel, children }: ParametersProps) {
  const change = (part: Partial<Sampling>) => onChange({ ...value, ...part });
  const errors = samplingErrors(value);
  return (
    <Stack gap="md">
      <NativeSelect
        label="Model"
        data={modelChoices}
        value={value.model}
        onChange={({ currentTarget: { value: model } }) => v.is(modelId, model) && change({ model })}
      />
      {secondModel}
      <Switch
        label="Stream"
        checked={value.stream}
        onChange={(event) => change({ stream: event.currentTarget.checked })}
      />
      {children}
      <WholeNumberField
        label="Maximum tokens"
        placeholder={`Default: ${formatWhole(defaultMaxTokens)}`}
        value={value.maxTokens}
        error={errors.maxTokens}
        onChange={(maxTokens) => change({ maxTokens })}
      />
      <SliderField
        label="Temperature"
        defaultValue={samplingDefaults.temperature}
        min={0}
        max={2}
        value={value.temperature}
        onChange={(temperature) => change({ temperature })}
      />
      <SliderField
        label="Top p"
        defaultValue={samplingDefaults.top_p}
        min={0}
        max={1}
        value={value.topP}
        onChange={(topP) => change({ topP })}
      />
      <WholeNumberField
        label="Top k"
        placeholder={`Default: ${samplingDefaults.top_k}`}
        value={value.topK}
        error={errors.topK}
        onChange={(topK) => change({ topK })}
      />
      <SliderField
        label="Frequency penalty"
        defaultValue={samplingDefaults.penalty}
        min={-2}
        max={2}
        value={value.frequencyPenalty}
        onChange={(frequencyPenalty) => change({ frequencyPenalty })}
      />
      <SliderField
        label="Presence penalty"
        defaultValue={samplingDefaults.penalty}
        min={-2}
        max={2}
        value={value.presencePenalty}
        onChange={(presencePenalty) => change({ presencePenalty })}
      />
      <StopField value={value.stop} onChange={(stop) => change({ stop })} />
    </Stack>
  );
}
