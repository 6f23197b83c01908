import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Group, NativeSelect, Slider, Stack, Switch, Text, Textarea } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import * as v from 'valibot';
import { planOfRank } from '#contract/billing/plans.ts';
import { samplingDefaults } from '#contract/inference/inference-fields.ts';
import { ChatRequest } from '#contract/inference/requests.ts';
import { limits } from '#contract/shared/limits.ts';
import { WholeNumberField } from '../../../components/whole-number-field.tsx';
import { formatWhole } from '../../../lib/format.ts';
import { planTitle } from '../../../lib/offer.ts';
import { modelId, type Sampling, samplingErrors, textModels } from './sampling.ts';

interface ParametersProps {
  readonly value: Sampling;
  readonly onChange: (value: Sampling) => void;
  readonly capability: 'chat' | 'completion';
  readonly defaultMaxTokens: number;
  /** A field shown below the model's. */
  readonly secondModel?: ReactNode;
  /** Additional fields of the tab. */
  readonly children?: ReactNode;
}

export const modelChoices = (capability: 'chat' | 'completion') =>
  textModels
    .filter(({ capabilities }) => capabilities.includes(capability))
    .map(({ id, contextWindow, minPlanRank }) => ({
      value: id,
      label:
        minPlanRank > 1
          ? `${id} (${planTitle(planOfRank(minPlanRank).name)})`
          : t`${id} (${{ count: formatWhole(contextWindow) }} tokens)`,
    }));

export function Parameters({ value, onChange, capability, defaultMaxTokens, secondModel, children }: ParametersProps) {
  const change = (part: Partial<Sampling>) => onChange({ ...value, ...part });
  const errors = samplingErrors(value);
  return (
    <Stack gap="md">
      <NativeSelect
        label={t`Model`}
        data={modelChoices(capability)}
        value={value.model}
        onChange={({ currentTarget: { value: model } }) => v.is(modelId, model) && change({ model })}
      />
      {secondModel}
      <Switch
        label={t({ message: 'Stream', comment: 'Whether a response arrives in pieces' })}
        checked={value.stream}
        onChange={(event) => change({ stream: event.currentTarget.checked })}
      />
      {children}
      <WholeNumberField
        label={t`Maximum tokens`}
        placeholder={t`Default: ${{ value: formatWhole(defaultMaxTokens) }}`}
        value={value.maxTokens}
        error={errors.maxTokens}
        onChange={(maxTokens) => change({ maxTokens })}
      />
      <SliderField
        label={t`Temperature`}
        defaultValue={samplingDefaults.temperature}
        min={0}
        max={2}
        value={value.temperature}
        onChange={(temperature) => change({ temperature })}
      />
      <SliderField
        label={t`Top p`}
        defaultValue={samplingDefaults.top_p}
        min={0}
        max={1}
        value={value.topP}
        onChange={(topP) => change({ topP })}
      />
      <WholeNumberField
        label={t`Top k`}
        placeholder={t`Default: ${{ value: samplingDefaults.top_k }}`}
        value={value.topK}
        error={errors.topK}
        onChange={(topK) => change({ topK })}
      />
      <SliderField
        label={t`Frequency penalty`}
        defaultValue={samplingDefaults.penalty}
        min={-2}
        max={2}
        value={value.frequencyPenalty}
        onChange={(frequencyPenalty) => change({ frequencyPenalty })}
      />
      <SliderField
        label={t`Presence penalty`}
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

interface StopFieldProps {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((line, index) => line === others[index]);

/** Stop sequences, one per line. Lines beyond the limit are not accepted. */
function StopField({ value, onChange }: StopFieldProps) {
  const [text, setText] = useState(() => value.join('\n'));
  // Keeps empty lines while the user types. A preset replaces the text.
  if (!isSame(linesOf(text), value)) setText(value.join('\n'));

  function change(next: string): void {
    const lines = linesOf(next);
    if (lines.length > limits.stopSequences) return;
    setText(next);
    onChange(lines);
  }

  return (
    <Textarea
      label={t`Stop sequences`}
      description={t`One per line, at most ${{ limit: limits.stopSequences }}`}
      autosize
      minRows={1}
      maxRows={limits.stopSequences}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

interface FunctionsFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  /** The field's name in its form. */
  readonly 'data-path'?: string;
}

export function FunctionsField({ value, error, onChange, ...props }: FunctionsFieldProps) {
  return (
    <div>
      <Textarea
        {...props}
        label={t`Functions`}
        description={t`A JSON array of functions the model may call`}
        autosize
        minRows={2}
        maxRows={12}
        error={error}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {value === '' && (
        <Anchor component="button" type="button" size="sm" onClick={() => onChange(exampleFunctions())}>
          <Trans>Insert example</Trans>
        </Anchor>
      )}
    </div>
  );
}

const exampleFunctions = (): string =>
  JSON.stringify(
    [
      {
        name: 'find_weather',
        description: t`The weather of a city`,
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ],
    undefined,
    2,
  );

type Functions = NonNullable<v.InferInput<typeof ChatRequest>['functions']>;
const FunctionList = v.pipe(v.string(), v.parseJson(), ChatRequest.entries.functions);

/** Parses the JSON text of functions. An empty text means no functions. */
export function parseFunctions(text: string): { list: Functions; error?: string } {
  if (text.trim() === '') return { list: [] };
  const read = v.safeParse(FunctionList, text);
  if (read.success) return { list: read.output ?? [] };
  const [issue] = read.issues;
  if (issue.type === 'parse_json') return { list: [], error: t`Functions must be JSON.` };
  return { list: [], error: `${v.getDotPath(issue) ?? t`Functions`} ${issue.message}.` };
}

interface SliderFieldProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly defaultValue: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

export function SliderField({ label, min, max, defaultValue, value, onChange }: SliderFieldProps) {
  const id = useId();
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={500} id={id}>
          {label}
        </Text>
        <Text size="sm" c="dimmed" className="number">
          {value.toFixed(2)}
        </Text>
      </Group>
      <Slider
        min={min}
        max={max}
        step={0.05}
        size="sm"
        label={null}
        value={value}
        onChange={onChange}
        thumbProps={{ 'aria-labelledby': id }}
      />
      <Text size="xs" c="dimmed" mt={4}>
        <Trans>Default: {{ value: defaultValue }}</Trans>
      </Text>
    </div>
  );
}
