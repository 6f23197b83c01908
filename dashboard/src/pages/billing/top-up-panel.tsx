import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import * as v from 'valibot';
import { type AutoTopUp, AutoTopUpChange, type PackList } from '#contract/payments/payments.ts';
import { paymentRoutes } from '#contract/routes/payments.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { PaymentRefusal, PortalLink, usePacks, usePortal, useTopUp } from '../../components/payments.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { creditCount, formatCents, formatDay } from '../../lib/format.ts';
import { cardTitle, centsOf, dollarsOf, topUpFailure } from '../../lib/payment-text.ts';

type TopUp = v.InferOutput<typeof AutoTopUp>;
type Packs = v.InferOutput<typeof PackList>['items'];

const states = {
  on: { title: msg`On`, color: 'pine' },
  off: { title: msg`Off`, color: 'gray' },
  action_required: { title: msg`Confirmation needed`, color: 'yellow.8' },
} as const;

export function TopUpPanel() {
  const { data: topUp, error: topUpError, refetch } = useTopUp();
  const { data: packs, error: packsError, refetch: again } = usePacks();
  const error = topUpError ?? packsError;
  return (
    <Panel
      title={t`Automatic top-up`}
      aside={topUp && <Badge color={states[topUp.state].color}>{i18n._(states[topUp.state].title)}</Badge>}
    >
      {topUp && packs ? (
        <Stack gap="md">
          <Text size="sm" c="dimmed" maw="46rem">
            <Trans>
              Buys a pack with your saved card whenever your balance falls below the threshold, up to the limit per
              month (UTC).
            </Trans>
          </Text>
          <State topUp={topUp} />
          {(topUp.card !== null || topUp.threshold !== null) && (
            <TopUpForm key={ruleOf(topUp)} topUp={topUp} packs={packs.items} />
          )}
        </Stack>
      ) : error ? (
        <ErrorNotice error={error} onRetry={() => void Promise.all([refetch(), again()])} />
      ) : (
        <Skeleton height={190} radius="md" />
      )}
    </Panel>
  );
}

/** React key that changes with the saved rule, so that the form shows it. */
const ruleOf = ({ state, threshold, pack, monthlyLimit }: TopUp): string =>
  [state, threshold, pack, monthlyLimit].join(' ');

function State({ topUp }: { topUp: TopUp }) {
  const portal = usePortal();
  const { card, lastFailure, state, threshold } = topUp;
  const isOfCard = lastFailure?.reason !== 'monthly_limit' && lastFailure?.reason !== 'returned';
  const failure = topUpFailure(topUp, lastFailure ? formatDay(lastFailure.at) : '');
  return (
    <>
      {failure !== undefined && (
        <Notice
          tone={state === 'on' ? 'info' : 'warning'}
          actions={isOfCard && <PortalLink portal={portal}>{t`Change the card`}</PortalLink>}
        >
          {failure}
        </Notice>
      )}
      {portal.error && <ErrorNotice error={portal.error} />}
      {card === null && failure === undefined && (
        <Notice
          tone={threshold === null ? 'info' : 'warning'}
          actions={
            <>
              <PortalLink portal={portal}>{t`Add a card`}</PortalLink>
              <a href="#packs">{t`Buy credits`}</a>
            </>
          }
        >
          {threshold === null ? (
            <Trans>Save a card to turn on automatic top-up. Buying credits also saves your card.</Trans>
          ) : (
            <Trans>No card is saved, so top-ups fail. Buying credits also saves your card.</Trans>
          )}
        </Notice>
      )}
    </>
  );
}

const rule = AutoTopUpChange.wrapped.entries;
const labelsOf = () => ({ threshold: t`Threshold`, pack: t`Pack`, monthlyLimit: t`Monthly limit` });

/** The contract's schema, with the limit as an amount in USD. `limitError` describes its errors. */
const formSchema = (packs: Packs) =>
  v.pipe(
    v.object({
      threshold: rule.threshold,
      pack: rule.pack,
      monthlyLimit: v.pipe(
        v.string(),
        v.check((text) => centsOf(text) !== undefined),
      ),
    }),
    v.forward(
      v.partialCheck(
        [['pack'], ['monthlyLimit']],
        ({ pack, monthlyLimit }) => (centsOf(monthlyLimit) ?? 0) >= (packs.find(({ id }) => id === pack)?.amount ?? 0),
      ),
      ['monthlyLimit'],
    ),
  );

/** The error of a typed limit, except an empty one. `price`: of the pack, in cents. */
function limitError(limit: string, price: number): string | undefined {
  const cents = centsOf(limit);
  if (limit === '') return undefined;
  if (cents === undefined) return t`Monthly limit must be an amount in USD, such as 50 or 49.99`;
  return cents < price ? t`Monthly limit must be at least the price of the pack` : undefined;
}

interface Values extends Record<string, unknown> {
  readonly threshold: number | string;
  readonly pack: string;
  readonly monthlyLimit: string;
}

function TopUpForm({ topUp, packs }: { topUp: TopUp; packs: Packs }) {
  const { state, threshold, pack, monthlyLimit, card } = topUp;
  const isOff = state === 'off';
  const schema = formSchema(packs);
  const labels = labelsOf();
  const initial: Values = {
    threshold: threshold ?? '',
    pack: pack ?? packs[0]?.id ?? '',
    monthlyLimit: monthlyLimit === null ? '' : dollarsOf(monthlyLimit),
  };
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema,
    labels,
    act: (values) => {
      const read = v.parse(schema, values);
      return call(paymentRoutes.setAutoTopUp, { body: { ...read, monthlyLimit: centsOf(read.monthlyLimit) ?? 0 } });
    },
    onDone: () => notify({ message: t`Automatic top-up is on.` }),
    invalidates: [paymentRoutes.getAutoTopUp],
  });
  const price = packs.find(({ id }) => id === form.values.pack)?.amount ?? 0;
  const wrongLimit = form.errors['monthlyLimit'];
  const off = useAction(() => call(paymentRoutes.setAutoTopUp, { body: null }), [paymentRoutes.getAutoTopUp]);
  async function switchOff(): Promise<void> {
    if (await off.run(undefined)) notify({ message: t`Automatic top-up is off.` });
  }

  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-start" gap="sm">
        <WholeNumberField
          label={labels.threshold}
          description={t`Credits`}
          {...form.getInputProps('threshold')}
          value={form.values.threshold}
          onChange={(value) => form.setFieldValue('threshold', value)}
          required
          flex="1 1 12rem"
        />
        <NativeSelect
          label={labels.pack}
          description={t`Bought each time`}
          data={packs.map(({ id, credits, amount }) => ({
            value: id,
            label: t`${{ credits: creditCount(credits) }}, ${{ price: formatCents(amount) }}`,
          }))}
          {...form.getInputProps('pack')}
          onChange={({ currentTarget }) => {
            form.setFieldValue('pack', currentTarget.value);
            form.clearFieldError('monthlyLimit');
          }}
          flex="1 1 12rem"
        />
        <TextInput
          label={labels.monthlyLimit}
          description="USD"
          inputMode="decimal"
          autoComplete="off"
          {...form.getInputProps('monthlyLimit')}
          error={wrongLimit && (limitError(form.values.monthlyLimit, price) ?? wrongLimit)}
          required
          flex="1 1 12rem"
        />
      </Group>
      {card && (
        <Text size="sm" c="dimmed" mt="sm">
          <Trans>Charged to {{ card: cardTitle(card) }}.</Trans>
        </Text>
      )}
      <Stack gap="sm" mt="md">
        {error && <PaymentRefusal error={error} />}
        {off.error && <ErrorNotice error={off.error} />}
        <Group gap="sm">
          <Button type="submit" loading={isRunning} disabled={card === null}>
            {isOff ? <Trans>Turn on</Trans> : <Trans>Save top-up</Trans>}
          </Button>
          {!isOff && (
            <Button variant="default" loading={off.isRunning} onClick={() => void switchOff()}>
              <Trans>Turn off</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
