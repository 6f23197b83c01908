import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { InferOutput } from 'valibot';
import { freePlanRank } from '#contract/billing/plans.ts';
import type { Proration } from '#contract/billing/subscriptions.ts';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { call } from '../../api/call.ts';
import { planReads } from '../../api/reads.ts';
import { useAction, useData } from '../../api/use-data.ts';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { notify } from '../../components/feedback/notifications.tsx';
import { Modal } from '../../components/overlays/modal.tsx';
import { formatDay, formatMoney, formatWhole } from '../../lib/format.ts';
import { planInSentence, planTitle } from '../../lib/names.ts';
import type { Plan } from './plan.ts';
import css from './plans.module.css';

interface ChangeDialogProps {
  readonly plan: Plan;
  /** The active plan; undefined without one. */
  readonly from: Plan | undefined;
  /** A cancelled subscription is there, whose month may still run. */
  readonly isAgain: boolean;
  readonly billedOn: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What the change comes to, before it is done. */
export function ChangeDialog({ plan, from, isAgain, billedOn, isOpen, onClose }: ChangeDialogProps) {
  const title = planTitle(plan.name);
  const verb = from ? (plan.id > from.id ? 'Upgrade' : 'Downgrade') : 'Subscribe';
  const isRollOver = !from && !isAgain && plan.id === freePlanRank;
  return (
    <Modal opened={isOpen} onClose={onClose} title={isRollOver ? rollOver : `${verb} to ${title}`}>
      {!from &&
        (isAgain ? <SubscribeAgain plan={plan} onDone={onClose} /> : <Subscribe plan={plan} onDone={onClose} />)}
      {from && plan.id > from.id && <Upgrade plan={plan} onDone={onClose} />}
      {from && plan.id < from.id && <Downgrade plan={plan} from={from} billedOn={billedOn ?? ''} onDone={onClose} />}
    </Modal>
  );
}

/** Subscribes to the free plan. The account already has its credits; from then on they roll over. */
export const rollOver = 'Turn on roll-over';

function Subscribe({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const title = planTitle(plan.name);
  const price = formatMoney(plan.price ?? 0);
  const isFree = plan.id === freePlanRank;
  return (
    <Stack>
      <DueList
        lines={[
          ['Due now', price],
          ['Credits added immediately', formatWhole(plan.quota_limit ?? -1)],
          ['Then each month', price],
        ]}
      />
      <Text size="sm" c="dimmed">
        {isFree
          ? 'From now on, unused credits stay for three more months. This month’s remaining free credits expire as before. You can cancel at any time.'
          : 'Your remaining free credits stay until they expire. You can cancel at any time.'}
      </Text>
      <ChangeButton
        act={() =>
          call(subscriptionRoutes.createSubscription, { body: { planId: plan.name, billingCycle: 'monthly' } })
        }
        done={isFree ? 'Unused credits now roll over.' : `You are on the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        {isFree ? rollOver : `Subscribe to ${title}`}
      </ChangeButton>
    </Stack>
  );
}

/** Subscribing after a cancellation: a paid period that still runs continues. */
function SubscribeAgain({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const { data, error, refetch } = useData(subscriptionRoutes.previewUpgrade, { query: { newPlanId: plan.name } });
  const title = planTitle(plan.name);
  if (error && 'code' in error && error.code === 'INVALID_STATE') return <Subscribe plan={plan} onDone={onDone} />;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={190} radius="md" />;
  const day = formatDay(data.to);
  return (
    <Stack>
      <ProrationList plan={plan} proration={data} />
      <Text size="sm" c="dimmed">
        The month you paid for runs until {day} and keeps its limits and credits. A larger plan starts immediately, for
        the difference; a smaller one with the next month.
      </Text>
      <ChangeButton
        act={() =>
          call(subscriptionRoutes.createSubscription, { body: { planId: plan.name, billingCycle: 'monthly' } })
        }
        done={`You are subscribed to the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        Subscribe to {title}
      </ChangeButton>
    </Stack>
  );
}

/** An upgrade with its prorated price, which the service returns before it is done. */
function Upgrade({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const { data, error, refetch } = useData(subscriptionRoutes.previewUpgrade, { query: { newPlanId: plan.name } });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={190} radius="md" />;
  return (
    <Stack>
      <ProrationList plan={plan} proration={data} />
      <Text size="sm" c="dimmed">
        The difference between the plans for the rest of this billing period, until {formatDay(data.to)}. It is prorated
        to the second. The billing date stays the same.
      </Text>
      <ChangeButton
        act={() => call(subscriptionRoutes.upgradePlan, { body: { newPlanId: plan.name } })}
        done={`You are on the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        Upgrade for {formatMoney(data.amount)}
      </ChangeButton>
    </Stack>
  );
}

interface DowngradeProps {
  readonly plan: Plan;
  readonly from: Plan;
  /** When the next cycle begins, YYYY-MM-DD. */
  readonly billedOn: string;
  readonly onDone: () => void;
}

function Downgrade({ plan, from, billedOn, onDone }: DowngradeProps) {
  const day = formatDay(billedOn);
  return (
    <Stack>
      <DueList
        lines={[
          ['Due now', formatMoney(0)],
          [`From ${day}, each month`, formatMoney(plan.price ?? 0)],
          ['Credits per month from then on', formatWhole(plan.quota_limit ?? -1)],
        ]}
      />
      <Text size="sm" c="dimmed">
        Until {day} you keep the limits and models of the {planInSentence(from.name)}. Your remaining credits keep their
        expiry dates.
      </Text>
      <ChangeButton
        act={() => call(subscriptionRoutes.downgradePlan, { body: { newPlanId: plan.name } })}
        done={`From ${day} you will be on the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        Downgrade on {day}
      </ChangeButton>
    </Stack>
  );
}

/** Lines of what a change comes to; the first is what is due now. */
function DueList({ lines }: { lines: readonly (readonly [what: string, amount: string])[] }) {
  return (
    <dl className={css.due}>
      {lines.map(([what, amount], index) => (
        <Fragment key={what}>
          <dt className={index === 0 ? css.sum : undefined}>{what}</dt>
          <dd className={index === 0 ? css.sum : undefined}>{amount}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** What a change to a larger plan comes to. */
function ProrationList({ plan, proration }: { plan: Plan; proration: InferOutput<typeof Proration> }) {
  const { amount, credits, to } = proration;
  return (
    <DueList
      lines={[
        ['Due now', formatMoney(amount)],
        ['Credits added immediately', `+${formatWhole(credits)}`],
        [`From ${formatDay(to)}, each month`, formatMoney(plan.price ?? 0)],
      ]}
    />
  );
}

interface ChangeButtonProps {
  readonly act: () => Promise<unknown>;
  /** The confirmation shown afterwards. */
  readonly done: string;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** Changes the plan, and confirms it. */
function ChangeButton({ act, done, onDone, children }: ChangeButtonProps) {
  const { run, isRunning, error } = useAction(async () => ({ result: await act() }), planReads);
  async function change(): Promise<void> {
    if (!(await run(undefined))) return;
    notify({ message: done });
    onDone();
  }
  return (
    <Stack gap="sm">
      {error && <ErrorNotice error={error} />}
      <Button loading={isRunning} onClick={() => void change()} data-autofocus>
        {children}
      </Button>
    </Stack>
  );
}
