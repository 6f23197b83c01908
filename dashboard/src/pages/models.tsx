import { i18n } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { planOfRank } from '#contract/billing/plans.ts';
import { callCost, microPerCredit } from '#contract/billing/prices.ts';
import { isCallable, type Model, models, phaseOf } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { integer } from '#contract/shared/fields.ts';
import { useNow } from '../api/config.ts';
import { numberError } from '../api/form-errors.ts';
import { Page, Panel } from '../components/page.tsx';
import { type Column, DataTable } from '../components/tables.tsx';
import { WholeNumberField } from '../components/whole-number-field.tsx';
import { creditCount, formatDay, formatExact, formatItems, formatWhole } from '../lib/format.ts';
import { useQuery, useQueryChoice } from '../lib/hooks.ts';
import { capabilityTitle, inCredits, priceLines, priceRank, rateText } from '../lib/model-prices.ts';
import { planTitle } from '../lib/offer.ts';

export default function ModelsPage() {
  return (
    <Page title={t`Models`} lead={t`Models that you can call, with their prices and dates`}>
      <Stack gap="lg">
        <Calculator />
        <ModelList />
      </Stack>
    </Page>
  );
}

const orders = { listed: msg`As listed`, name: msg`Name`, price: msg`Price`, window: msg`Context window` } as const;

function ModelList() {
  const now = useNow();
  const [query, change] = useQuery();
  const [order, setOrder] = useQueryChoice('sort', ['listed', 'name', 'price', 'window']);
  const search = query.get('search') ?? '';
  const rows = sorted(
    models.filter((model) => phaseOf(model, now) !== 'upcoming' && matches(model, search)),
    order,
    now,
  );
  return (
    <Panel title={t`All models`}>
      <Group align="flex-end" gap="sm" mb="lg">
        <TextInput
          label={t`Search`}
          type="search"
          placeholder={t`Name or capability`}
          value={search}
          onChange={({ currentTarget: { value } }) => change({ search: value || undefined })}
        />
        <NativeSelect
          label={t`Sort by`}
          data={Object.entries(orders).map(([value, label]) => ({ value, label: i18n._(label) }))}
          value={order}
          onChange={({ currentTarget }) => setOrder(currentTarget.value)}
        />
      </Group>
      {rows.length === 0 ? (
        <Text c="dimmed">
          <Trans>No model matches your search.</Trans>
        </Text>
      ) : (
        <DataTable caption={t`Models`} columns={columnsAt(now)} rows={rows} idOf={({ id }) => id} />
      )}
    </Panel>
  );
}

function matches({ id, aliases, title, description, capabilities }: Model, search: string): boolean {
  const titles = capabilities.map(capabilityTitle);
  const text = [id, ...aliases, title, description, ...titles].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function sorted(some: readonly Model[], order: keyof typeof orders, now: number): readonly Model[] {
  if (order === 'name') return some.toSorted((one, other) => one.title.localeCompare(other.title, 'en'));
  if (order === 'price') return some.toSorted((one, other) => priceRank(one, now) - priceRank(other, now));
  if (order === 'window') return some.toSorted((one, other) => other.contextWindow - one.contextWindow);
  return some;
}

const columnsAt = (now: number): Column<Model>[] => [
  { title: t`Model`, place: 'lead', cell: (model) => <ModelName model={model} now={now} /> },
  {
    title: t`Used for`,
    place: 'wide',
    cell: ({ capabilities }) => formatItems(capabilities.map(capabilityTitle)),
  },
  {
    title: t`Context window`,
    place: 'end',
    cell: ({ contextWindow }) => t`${{ count: formatWhole(contextWindow) }} tokens`,
  },
  { title: t`Price`, place: 'wide', cell: (model) => <Price model={model} now={now} /> },
  { title: t`Plan`, cell: ({ minPlanRank }) => planText(minPlanRank) },
];

const smallestRank = Math.min(...offer.plans.map(({ id }) => id));

function planText(minPlanRank: number): string {
  return minPlanRank > smallestRank ? t`${{ plan: planTitle(planOfRank(minPlanRank).name) }} or above` : t`All plans`;
}

function ModelName({ model, now }: { model: Model; now: number }) {
  const { id, title, description, aliases } = model;
  const phase = phaseOf(model, now);
  return (
    <Stack gap={2} align="flex-start">
      <Group gap="xs">
        <Text inherit fw={600} dir="auto">
          {title}
        </Text>
        {phase === 'deprecated' && <Badge color="yellow.8">{t`Deprecated`}</Badge>}
        {phase === 'retired' && <Badge color="red.7">{t`Retired`}</Badge>}
      </Group>
      {(title !== id || aliases.length > 0) && (
        <Text size="xs" className="mono">
          {[id, ...aliases].join(', ')}
        </Text>
      )}
      {description !== '' && (
        <Text size="sm" c="dimmed" dir="auto">
          {description}
        </Text>
      )}
      {datesOf(model, now).map((text) => (
        <Text key={text} size="sm" c="dimmed">
          {text}
        </Text>
      ))}
    </Stack>
  );
}

/** "Deprecated from 1 Mar 2027", "Retired from 1 Jun 2027. Use svc-2." */
function datesOf({ deprecatedFrom, retiredFrom, replacedBy }: Model, now: number): string[] {
  const isRetired = retiredFrom !== null && Date.parse(retiredFrom) <= now;
  return [
    ...(deprecatedFrom === null || isRetired ? [] : [t`Deprecated from ${{ day: formatDay(deprecatedFrom) }}`]),
    ...(retiredFrom === null ? [] : [t`Retired from ${{ day: formatDay(retiredFrom) }}`]),
    ...(replacedBy === null ? [] : [t`Replaced by ${{ model: replacedBy }}`]),
  ];
}

function Price({ model, now }: { model: Model; now: number }) {
  const next = model.priceChanges.find(({ effectiveFrom }) => Date.parse(effectiveFrom) > now);
  return (
    <Stack gap={2}>
      {priceLines(model, now).map((line) => (
        <span key={line}>{line}</span>
      ))}
      {next && (
        <Text size="sm" c="dimmed">
          <Trans>
            From {{ day: formatDay(next.effectiveFrom) }}: {{ rates: rateText(inCredits(next)) }}
          </Trans>
        </Text>
      )}
    </Stack>
  );
}

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

function labelOf({ model: { title: model }, service }: Choice): string {
  if (service === 'embeddings') return t`${model}: embeddings`;
  return service === 'chat' ? t`${model}: chat` : t`${model}: completion`;
}

/** Calculates the cost of calls with the formula by which the service charges them. */
function Calculator() {
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
  const labels = {
    requests: t`Requests`,
    input: t`Input tokens`,
    cached: t`Cached input tokens`,
    output: t`Output tokens`,
  };
  const errors = {
    requests: numberError(labels.requests, requestsRule, requests),
    input: numberError(labels.input, tokensRule, input),
    cached:
      numberError(t`Cached tokens`, tokensRule, cached) ??
      (Number(cached) > Number(input) ? t`Enter no more than the input tokens` : undefined),
    output: hasOutput ? numberError(labels.output, tokensRule, output) : undefined,
  };
  const isValid =
    [requests, input, cached, ...(hasOutput ? [output] : [])].every((value) => typeof value === 'number') &&
    Object.values(errors).every((error) => error === undefined);

  return (
    <Panel title={t`Cost calculator`}>
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fit, minmax(9.5rem, 1fr))',
          alignItems: 'start',
          gap: '0.75rem',
        }}
      >
        <NativeSelect
          label={t`Model`}
          data={choices.map((one) => ({ value: nameOf(one), label: labelOf(one) }))}
          value={nameOf(choice)}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <WholeNumberField label={labels.requests} value={requests} error={errors.requests} onChange={setRequests} />
        <WholeNumberField label={labels.input} value={input} error={errors.input} onChange={setInput} />
        <WholeNumberField label={labels.cached} value={cached} error={errors.cached} onChange={setCached} />
        {hasOutput && (
          <WholeNumberField label={labels.output} value={output} error={errors.output} onChange={setOutput} />
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
          : t`Enter whole numbers to see the cost.`}
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
  const cost = creditCount(credits, formatExact);
  const [input, cached, output] = [formatExact(use.input), formatExact(use.cached), formatExact(use.output)];
  if (service === 'embeddings')
    return use.cached > 0
      ? plural(requests, {
          one: `# request of ${input} input (${cached} cached) tokens costs ${cost}.`,
          other: `# requests of ${input} input (${cached} cached) tokens cost ${cost}.`,
        })
      : plural(requests, {
          one: `# request of ${input} input tokens costs ${cost}.`,
          other: `# requests of ${input} input tokens cost ${cost}.`,
        });
  return use.cached > 0
    ? plural(requests, {
        one: `# request of ${input} input (${cached} cached) and ${output} output tokens costs ${cost}.`,
        other: `# requests of ${input} input (${cached} cached) and ${output} output tokens cost ${cost}.`,
      })
    : plural(requests, {
        one: `# request of ${input} input and ${output} output tokens costs ${cost}.`,
        other: `# requests of ${input} input and ${output} output tokens cost ${cost}.`,
      });
}
