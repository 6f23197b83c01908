import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { freePlanRank } from '#contract/billing/plans.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useConfig, useNow } from '../../api/config.ts';
import { useData } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { Modal } from '../../components/dialogs.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { paymentReads, PaymentRefusal, useCheckout, useTopUp } from '../../components/payments.tsx';
import { formatDay, formatMoney, formatWhole } from '../../lib/format.ts';
import { planInSentence, planTitle } from '../../lib/offer.ts';
import { cardTitle } from '../../lib/payment-text.ts';
import { dayInAMonth, type Plan } from './plan.ts';
import css from './plans.module.css';

interface ChangeDialogProps {
  readonly plan: Plan;
  /** The active plan, if any. */
  readonly from: Plan | undefined;
  /** True if the account has a cancelled subscription, whose paid period may not have ended. */
  readonly isAgain: boolean;
  /** Next billing date, YYYY-MM-DD. */
  readonly billedOn: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Shows the cost of a plan change, and performs the change. */
export function ChangeDialog({ plan, from, isAgain, billedOn = '', isOpen, onClose }: ChangeDialogProps) {
  const verb = from ? (plan.id >= from.id ? 'Upgrade' : 'Downgrade') : 'Subscribe';
  const isOwn = plan.id === from?.id;
  const isRollOver = !from && !isAgain && plan.id === freePlanRank;
  const props = { plan, onDone: onClose };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={
        isRollOver ? rollOver : isOwn ? `New terms for ${planTitle(plan.name)}` : `${verb} to ${planTitle(plan.name)}`
      }
    >
      {!from && (isAgain ? <Prorated {...props} from={from} /> : <Subscribe {...props} />)}
      {from && plan.id >= from.id && <Prorated {...props} from={from} />}
      {from && plan.id < from.id && <Downgrade {...props} from={from} day={formatDay(billedOn)} />}
    </Modal>
  );
}

export const rollOver = 'Turn on roll-over';

interface PlanChangeProps {
  readonly plan: Plan;
  readonly onDone: () => void;
}

const subscribeTo = ({ name }: Plan) =>
  call(subscriptionRoutes.createSubscription, { body: { planId: name, billingCycle: 'monthly' } });

function Subscribe({ plan, onDone }: PlanChangeProps) {
  const { payments } = useConfig();
  const price = formatMoney(plan.price ?? 0);
  const isFree = plan.id === freePlanRank;
  if (payments && !isFree) return <Buy plan={plan} />;
  return (
    <Change
      lines={[
        ['Due now', price],
        ['Credits added immediately', formatWhole(plan.quota_limit ?? -1)],
        ['Then each month', price],
      ]}
      act={() => subscribeTo(plan)}
      label={isFree ? rollOver : `Subscribe to ${planTitle(plan.name)}`}
      done={isFree ? 'Unused credits now roll over.' : `You are on the ${planInSentence(plan.name)}.`}
      onDone={onDone}
    >
      {isFree
        ? 'From now on, unused credits stay for three more months. This month’s remaining free credits expire as before. You can cancel at any time.'
        : 'Your remaining free credits stay until they expire. You can cancel at any time.'}
    </Change>
  );
}

/** The first payment of a plan, in checkout. */
function Buy({ plan }: { plan: Plan }) {
  const { run, isRunning, error } = useCheckout();
  const now = useNow();
  const price = formatMoney(plan.price ?? 0);
  return (
    <Due
      lines={[
        ['Due now', price],
        ['Credits added once paid', formatWhole(plan.quota_limit ?? -1)],
        [`From ${formatDay(dayInAMonth(now))}, each month`, price],
      ]}
      label="Continue to payment"
      isRunning={isRunning}
      refusal={error && <ErrorNotice error={error} />}
      onConfirm={() => void run({ planId: plan.name })}
    >
      You pay the first month on our payment provider’s page, which may add taxes and saves your card for later months.
      The plan starts once the payment is complete. Your remaining free credits stay until they expire. You can cancel
      at any time.
    </Due>
  );
}

/** An upgrade, or a subscription after a cancellation whose paid period has not ended, at a prorated price. */
function Prorated({ plan, from, onDone }: PlanChangeProps & { from: Plan | undefined }) {
  const isAgain = from === undefined;
  const isOwn = plan.id === from?.id;
  const { data, error, refetch } = useData(subscriptionRoutes.previewUpgrade, { query: { newPlanId: plan.name } });
  if (isAgain && error && toApiError(error).code === 'INVALID_STATE') return <Subscribe plan={plan} onDone={onDone} />;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={190} radius="md" />;
  const { amount, credits, to } = data;
  const day = formatDay(to);
  return (
    <Change
      lines={[
        ['Due now', formatMoney(amount)],
        ['Credits added immediately', `+${formatWhole(credits)}`],
        [`From ${day}, each month`, formatMoney(plan.price ?? 0)],
      ]}
      act={() =>
        isAgain ? subscribeTo(plan) : call(subscriptionRoutes.upgradePlan, { body: { newPlanId: plan.name } })
      }
      label={
        isAgain ? `Subscribe to ${planTitle(plan.name)}` : `${isOwn ? 'Change' : 'Upgrade'} for ${formatMoney(amount)}`
      }
      done={`You are ${isAgain ? 'subscribed to' : 'on'} the ${planInSentence(plan.name)}.`}
      onDone={onDone}
    >
      {isAgain
        ? `The month you paid for runs until ${day} and keeps its limits and credits. A larger plan starts immediately, for the difference; a smaller one with the next month.`
        : isOwn
          ? 'The current terms replace yours immediately. You cannot change back.'
          : `The difference between the plans for the rest of this billing period, until ${day}. It is prorated to the second. The billing date stays the same.`}
      {amount > 0 && <SavedCard />}
    </Change>
  );
}

/** Names the card that is charged, if the deployment accepts payments. */
function SavedCard() {
  const { payments } = useConfig();
  const { data } = useTopUp({ enabled: payments });
  return data?.card && ` The amount is charged to your ${cardTitle(data.card)}.`;
}

function Downgrade({ plan, from, day, onDone }: PlanChangeProps & { from: Plan; day: string }) {
  return (
    <Change
      lines={[
        ['Due now', formatMoney(0)],
        [`From ${day}, each month`, formatMoney(plan.price ?? 0)],
        ['Credits per month from then on', formatWhole(plan.quota_limit ?? -1)],
      ]}
      act={() => call(subscriptionRoutes.downgradePlan, { body: { newPlanId: plan.name } })}
      label={`Downgrade on ${day}`}
      done={`From ${day} you will be on the ${planInSentence(plan.name)}.`}
      onDone={onDone}
    >
      {`Until ${day} you keep the limits and models of the ${planInSentence(from.name)}. Your remaining credits keep their expiry dates.`}
    </Change>
  );
}

type Line = readonly [what: string, amount: string];

interface ChangeProps {
  /** The first line is the amount due now. */
  readonly lines: readonly Line[];
  readonly act: () => Promise<unknown>;
  readonly label: string;
  /** Notification on success. */
  readonly done: string;
  readonly onDone: () => void;
  /** Text that explains `lines`. */
  readonly children: ReactNode;
}

function Change({ lines, act, label, done, onDone, children }: ChangeProps) {
  const { run, isRunning, error } = useAction(async () => ({ result: await act() }), paymentReads);
  async function change(): Promise<void> {
    if (!(await run(undefined))) return;
    notify({ message: done });
    onDone();
  }
  return (
    <Due
      lines={lines}
      label={label}
      isRunning={isRunning}
      refusal={error && <PaymentRefusal error={error} />}
      onConfirm={() => void change()}
    >
      {children}
    </Due>
  );
}

interface DueProps extends Pick<ChangeProps, 'lines' | 'label' | 'children'> {
  readonly isRunning: boolean;
  readonly refusal: ReactNode;
  readonly onConfirm: () => void;
}

function Due({ lines, label, isRunning, refusal, onConfirm, children }: DueProps) {
  return (
    <Stack>
      <dl className={css.due}>
        {lines.map(([what, amount], index) => (
          <Fragment key={what}>
            <dt className={index === 0 ? css.sum : undefined}>{what}</dt>
            <dd className={index === 0 ? css.sum : undefined}>{amount}</dd>
          </Fragment>
        ))}
      </dl>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
      <Stack gap="sm">
        {refusal}
        <Button loading={isRunning} onClick={onConfirm} data-autofocus>
          {label}
        </Button>
      </Stack>
    </Stack>
  );
}
