import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { callCost } from '#contract/billing/cost.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { isCallable, type Model, models } from '#contract/inference/models.ts';
import { integer } from '#contract/shared/fields.ts';
import { useNow } from '../../api/config.ts';
import { numberError } from '../../api/form-errors.ts';
import { Panel } from '../../components/page.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { count, creditCount, formatExact } from '../../lib/format.ts';
import { capabilityTitles } from '../../lib/model-prices.ts';

const tokenServices = ['chat', 'completion', 'embeddings'] as const;
type TokenService = (typeof tokenServices)[number];

const requestsRule = integer(1, 1_000_000_000);
const tokensRule = integer(0, 100_000_000);

interface Choice {
  readonly model: Model;
  readonly service: TokenService;
}

const choicesAt = (now: number): Choice[] =>
  models
    .filter((model) => isCallable(model, now))
    .flatMap((model) =>
      tokenServices.filter((one) => model.capabilities.includes(one)).map((service) => ({ model, service })),
    );

const nameOf = ({ model, service }: Choice): string => `${service} ${model.id}`;
const labelOf = ({ model, service }: Choice): string => `${model.title}: ${capabilityTitles[service].toLowerCase()}`;

/** Calculates the cost of calls with the formula by which the service charges them. */
export function Calculator() {
  const now = useNow();
  const choices = choicesAt(now);
  const [name, setName] = useState('');
  const [requests, setRequests] = useState<number | string>(1000);
  const [input, setInput] = useState<number | string>(2000);
  const [cached, setCached] = useState<number | string>(0);
  const [output, setOutput] = useState<number | string>(500);
  const choice = choices.find((one) => nameOf(one) === name) ?? choices[0];
  if (!choice) return null;
  const hasOutput = choice.service !== 'embeddings';
  const errors = {
    requests: numberError('Requests', requestsRule, requests),
    input: numberError('Input tokens', tokensRule, input),
    cached:
      numberError('Cached tokens', tokensRule, cached) ??
      (Number(cached) > Number(input) ? 'Enter at most the input tokens' : undefined),
    output: hasOutput ? numberError('Output tokens', tokensRule, output) : undefined,
  };
  const isValid =
    [requests, input, cached, ...(hasOutput ? [output] : [])].every((value) => typeof value === 'number') &&
    Object.values(errors).every((error) => error === undefined);

  return (
    <Panel title="Cost calculator">
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fit, minmax(9.5rem, 1fr))',
          alignItems: 'start',
          gap: '0.75rem',
        }}
      >
        <NativeSelect
          label="Model"
          data={choices.map((one) => ({ value: nameOf(one), label: labelOf(one) }))}
          value={nameOf(choice)}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <WholeNumberField label="Requests" value={requests} error={errors.requests} onChange={setRequests} />
        <WholeNumberField label="Input tokens" value={input} error={errors.input} onChange={setInput} />
        <WholeNumberField label="Cached input tokens" value={cached} error={errors.cached} onChange={setCached} />
        {hasOutput && (
          <WholeNumberField label="Output tokens" value={output} error={errors.output} onChange={setOutput} />
        )}
      </div>
      <Text mt="md" role="status">
        {isValid
          ? sentence(choice, {
              requests: Number(requests),
              input: Number(input),
              cached: Number(cached),
              output: hasOutput ? Number(output) : 0,
              now,
            })
          : 'Enter whole numbers to see the cost.'}
      </Text>
    </Panel>
  );
}

interface Wanted {
  readonly requests: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly now: number;
}

/** "1,000 requests of 2,000 input and 500 output tokens cost 8 credits." */
function sentence({ model, service }: Choice, { requests, now, ...use }: Wanted): string {
  const each = callCost(model, service, use, now);
  const credits = Number(BigInt(requests) * BigInt(each)) / microPerCredit;
  const verb = requests === 1 ? 'costs' : 'cost';
  const input = `${formatExact(use.input)} input${use.cached > 0 ? ` (${formatExact(use.cached)} cached)` : ''}`;
  const tokens = service === 'embeddings' ? input : `${input} and ${formatExact(use.output)} output`;
  return `${count(requests, 'request')} of ${tokens} tokens ${verb} ${creditCount(credits, formatExact)}.`;
}
