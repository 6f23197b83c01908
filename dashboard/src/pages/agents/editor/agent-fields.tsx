import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import * as v from 'valibot';
import { samplingDefaults } from '#contract/inference/inference-fields.ts';
import { limits } from '#contract/shared/limits.ts';
import { WholeNumberField } from '../../../components/forms/whole-number-field.tsx';
import { formatWhole } from '../../../lib/format.ts';
import type { Form } from '../../../lib/hooks/use-form.ts';
import { FunctionsField } from '../../playground/tab/parameters.tsx';
import { parseFunctions } from '../../playground/tab/parameters.tsx';
import { modelChoices } from '../../playground/tab/parameters.tsx';
import { modelId } from '../../playground/tab/sampling.ts';
import { SliderField } from '../../playground/tab/slider-field.tsx';
import type { AgentValues } from './agent-values.ts';
import css from './editor.module.css';
import { TruncationField } from './truncation-field.tsx';

/** Tokens of a reply unless the agent sets a maximum (docs/design/inference.md). */
const defaultMaxTokens = 1024;

export function AgentFields({ form }: { form: Form<AgentValues> }) {
  const { values, errors, setFieldValue } = form;
  const { instructions, functions, temperature, maxTokens, truncation, retentionDays } = values;
  return (
    <div className={css.fields}>
      <div className={css.column}>
        <TextInput label="Name" description="Shown to users" {...form.getInputProps('name')} />
        <div>
          <Textarea
            label="Instructions"
            description="The system message for every turn"
            placeholder="You help guests of our hotel. Reply briefly."
            autosize
            minRows={6}
            maxRows={18}
            {...form.getInputProps('instructions')}
          />
          <Characters text={instructions} max={limits.agentInstructions} />
        </div>
        <FunctionsField
          value={functions}
          error={parseFunctions(functions).error ?? errors['functions']}
          onChange={(text) => setFieldValue('functions', text)}
          data-path="functions"
        />
      </div>
      <div className={css.column}>
        <NativeSelect
          label="Model"
          data={modelChoices}
          value={values.model}
          error={errors['model']}
          data-path="model"
          onChange={({ currentTarget: { value } }) => v.is(modelId, value) && setFieldValue('model', value)}
        />
        <SliderField
          label="Temperature"
          defaultValue={samplingDefaults.temperature}
          min={0}
          max={2}
          value={temperature}
          onChange={(value) => setFieldValue('temperature', value)}
        />
        <WholeNumberField
          label="Maximum tokens"
          placeholder={`Default: ${formatWhole(defaultMaxTokens)}`}
          value={maxTokens}
          error={errors['maxTokens']}
          data-path="maxTokens"
          onChange={(value) => setFieldValue('maxTokens', value)}
        />
        <TruncationField
          value={truncation}
          error={errors['truncation']}
          onChange={(value) => setFieldValue('truncation', value)}
        />
        <WholeNumberField
          label="Retention in days"
          description="Days until messages, and conversations without new messages, are deleted"
          value={retentionDays}
          error={errors['retentionDays']}
          data-path="retentionDays"
          onChange={(value) => setFieldValue('retentionDays', value)}
        />
      </div>
    </div>
  );
}

/** Code points, as the API counts them. */
function Characters({ text, max }: { text: string; max: number }) {
  const length = Array.from(text).length;
  return (
    <Text size="xs" c={length > max ? 'var(--mantine-color-error)' : 'dimmed'} mt={4} className="number">
      {formatWhole(length)} of {formatWhole(max)} characters
    </Text>
  );
}
