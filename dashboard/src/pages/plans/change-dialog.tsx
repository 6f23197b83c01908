import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { freePlanRank } from '#contract/billing/plans.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useConfig, useNow } from '../../api/config.ts';
import { useData } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Modal } from '../../components/overlays.tsx';
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
  const isRollOver = !from && !isAgain && plan.id === freePlanRank;
  const props = { plan, onDone: onClose };
  return (
    <Modal opened={isOpen} onClose={onClose} title={isRollOver ? i18n._(rollOver) : titleOf(plan, from)}>
      {!from && (isAgain ? <Prorated {...props} from={from} /> : <Subscribe {...props} />)}
      {from && plan.id >= from.id && <Prorated {...props} from={from} />}
      {from && plan.id < from.id && <Downgrade {...props} from={from} day={formatDay(billedOn)} />}
    </Modal>
  );
}

export const rollOver = msg`Turn on roll-over`;

function titleOf({ id, name }: Plan, from: Plan | undefined): string {
  const plan = planTitle(name);
  if (!from) return t`Subscribe to ${plan}`;
  if (id === from.id) return t`New terms for ${plan}`;
  return id > from.id ? t`Upgrade to ${plan}` : t`Downgrade to ${plan}`;
}

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
        [t`Due now`, price],
        [t`Credits added immediately`, formatWhole(plan.quota_limit ?? -1)],
        [t`Then each month`, price],
      ]}
      act={() => subscribeTo(plan)}
      label={isFree ? i18n._(rollOver) : t`Subscribe to ${{ plan: planTitle(plan.name) }}`}
      done={isFree ? t`Unused credits now roll over.` : t`You are on the ${{ plan: planInSentence(plan.name) }}.`}
      onDone={onDone}
    >
      {isFree
        ? t`From now on, unused credits stay for three more months. This month’s remaining free credits expire as before. You can cancel at any time.`
        : t`Your remaining free credits stay until they expire. You can cancel at any time.`}
    </Change>
  );
}

/** The first payment of a plan, in checkout. */
function Buy({ plan }: { plan: Plan }) {
  const { run, isRunning, error } = useCheckout();
  const day = formatDay(dayInAMonth(useNow()));
  const price = formatMoney(plan.price ?? 0);
  return (
    <Due
      lines={[
        [t`Due now`, price],
        [t`Credits added once paid`, formatWhole(plan.quota_limit ?? -1)],
        [t`From ${day}, each month`, price],
      ]}
      label={t`Continue to payment`}
      isRunning={isRunning}
      refusal={error && <ErrorNotice error={error} />}
      onConfirm={() => void run({ planId: plan.name })}
    >
      <Trans>
        You pay the first month on our payment provider’s page, which may add taxes and saves your card for later
        months. The plan starts once the payment is complete. Your remaining free credits stay until they expire. You
        can cancel at any time.
      </Trans>
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
  const [day, due] = [formatDay(to), formatMoney(amount)];
  const texts = isAgain
    ? {
        label: t`Subscribe to ${{ plan: planTitle(plan.name) }}`,
        done: t`You are subscribed to the ${{ plan: planInSentence(plan.name) }}.`,
        text: t`The month you paid for runs until ${day} and keeps its limits and credits. A larger plan starts immediately, for the difference; a smaller one with the next month.`,
      }
    : {
        label: isOwn ? t`Change for ${{ price: due }}` : t`Upgrade for ${{ price: due }}`,
        done: t`You are on the ${{ plan: planInSentence(plan.name) }}.`,
        text: isOwn
          ? t`The current terms replace yours immediately. You cannot change back.`
          : t`The difference between the plans for the rest of this billing period, until ${day}. It is prorated to the second. The billing date stays the same.`,
      };
  return (
    <Change
      lines={[
        [t`Due now`, due],
        [t`Credits added immediately`, `+${formatWhole(credits)}`],
        [t`From ${day}, each month`, formatMoney(plan.price ?? 0)],
      ]}
      act={() =>
        isAgain ? subscribeTo(plan) : call(subscriptionRoutes.upgradePlan, { body: { newPlanId: plan.name } })
      }
      label={texts.label}
      done={texts.done}
      onDone={onDone}
    >
      {texts.text}
      {amount > 0 && <SavedCard />}
    </Change>
  );
}

/** Names the card that is charged, if the deployment accepts payments. */
function SavedCard() {
  const { payments } = useConfig();
  const { data } = useTopUp({ enabled: payments });
  return data?.card && ` ${t`The amount is charged to your ${{ card: cardTitle(data.card) }}.`}`;
}

function Downgrade({ plan, from, day, onDone }: PlanChangeProps & { from: Plan; day: string }) {
  return (
    <Change
      lines={[
        [t`Due now`, formatMoney(0)],
        [t`From ${day}, each month`, formatMoney(plan.price ?? 0)],
        [t`Credits per month from then on`, formatWhole(plan.quota_limit ?? -1)],
      ]}
      act={() => call(subscriptionRoutes.downgradePlan, { body: { newPlanId: plan.name } })}
      label={t`Downgrade on ${day}`}
      done={t`From ${day} you will be on the ${{ plan: planInSentence(plan.name) }}.`}
      onDone={onDone}
    >
      {t`Until ${day} you keep the limits and models of the ${{ plan: planInSentence(from.name) }}. Your remaining credits keep their expiry dates.`}
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
