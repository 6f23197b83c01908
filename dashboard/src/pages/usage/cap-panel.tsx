import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import * as v from 'valibot';
import { SpendingLimit, type SpendingLimits } from '#contract/billing/credits.ts';
import { alertRoutes } from '#contract/routes/alerts.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { useData } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { creditCount, formatCredits, formatDay } from '../../lib/format.ts';

type Limits = v.InferOutput<typeof SpendingLimits>;

/** The default alerts depend on the cap. */
const changed = [creditRoutes.getLimits, alertRoutes.getAlerts];

export function CapPanel() {
  const { data, error, refetch } = useData(creditRoutes.getLimits, {});
  return (
    <Panel title={t`Spending cap`}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={168} radius="md" />}
      {data && (
        <Stack gap="md">
          <Month limits={data} />
          <CapForm key={data.monthlyCredits} limits={data} />
        </Stack>
      )}
    </Panel>
  );
}

/** Progress of the month. Amber if the forecast exceeds the cap, red once the cap is reached. */
function Month({ limits: { monthlyCredits: cap, used, forecast, resetsAt } }: { limits: Limits }) {
  const credits = (value: number) => creditCount(value, formatCredits);
  const expected = credits(Math.round(forecast));
  if (cap === null) {
    return (
      <Text size="sm">
        <Trans>
          {{ used: credits(used) }} used this calendar month (UTC), about {expected} by the end of the month at the
          current rate.
        </Trans>
      </Text>
    );
  }
  const share = Math.min(100, (100 * used) / cap);
  const color = used >= cap ? 'red.6' : forecast > cap ? 'yellow.6' : 'pine';
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text fw={600} className="number">
          <Trans>
            {{ used: formatCredits(used) }} of {{ cap: credits(cap) }}
          </Trans>
        </Text>
        <Text size="sm" c="dimmed">
          <Trans>Resets on {{ day: formatDay(resetsAt) }}</Trans>
        </Text>
      </Group>
      <Progress
        value={share}
        size={8}
        color={color}
        aria-label={t`Used of the cap: ${{ percent: Math.floor(share) }}%`}
      />
      <Text size="sm" c="dimmed">
        {used >= cap ? (
          <Trans>Calls are refused until you raise the cap or the month ends.</Trans>
        ) : (
          <Trans>Forecast: about {expected} by the end of the month at the current rate.</Trans>
        )}
      </Text>
    </Stack>
  );
}

function CapForm({ limits: { monthlyCredits: cap } }: { limits: Limits }) {
  const labels = { monthlyCredits: t`Credits per month` };
  const initial: { monthlyCredits: number | string } = { monthlyCredits: cap ?? '' };
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema: v.object({ monthlyCredits: SpendingLimit.entries.monthlyCredits.wrapped }),
    labels,
    act: (values) => call(creditRoutes.setLimits, { body: v.parse(SpendingLimit, values) }),
    onDone: () => notify({ message: t`Spending cap saved.` }),
    invalidates: changed,
  });
  const removal = useAction(() => call(creditRoutes.setLimits, { body: { monthlyCredits: null } }), changed);
  async function remove(): Promise<void> {
    if (await removal.run(undefined)) notify({ message: t`Spending cap removed.` });
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <WholeNumberField
          label={labels.monthlyCredits}
          description={t`Calls that could exceed it are refused with status 402. Applies to all keys and the dashboard.`}
          {...form.getInputProps('monthlyCredits')}
          value={form.values.monthlyCredits}
          onChange={(value) => form.setFieldValue('monthlyCredits', value)}
        />
        {error && <ErrorNotice error={error} />}
        {removal.error && <ErrorNotice error={removal.error} />}
        <Group gap="sm">
          <Button type="submit" loading={isRunning}>
            {cap === null ? <Trans>Set cap</Trans> : <Trans>Save cap</Trans>}
          </Button>
          {cap !== null && (
            <Button variant="default" loading={removal.isRunning} onClick={() => void remove()}>
              <Trans>Remove cap</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
