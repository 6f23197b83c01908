import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { paymentRoutes } from '#contract/routes/payments.ts';
import { call } from '../../api/call.ts';
import { useCredits } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { paymentReads, PortalLink, usePortal } from '../../components/payments.tsx';
import { creditCount } from '../../lib/format.ts';
import { isForPlan, nextReadMs, type PaymentRecord, returnText } from '../../lib/payment-text.ts';

interface ReturnedPaymentProps {
  readonly id: string;
  /** True if the buyer left checkout without paying. */
  readonly isCancelled: boolean;
  readonly onClose: () => void;
}

/** Polls a payment after the return from checkout, until it is final or for a minute. */
export function ReturnedPayment({ id, isCancelled, onClose }: ReturnedPaymentProps) {
  const client = useQueryClient();
  const queryKey = [paymentRoutes.getPayment.id, id];
  const msAfter = (status: PaymentRecord['status'] | undefined, reads: number) =>
    status === 'created' && isCancelled ? false : nextReadMs(status, reads);
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(paymentRoutes.getPayment, { path: { id } }, { signal }),
    refetchInterval: ({ state }) => msAfter(state.data?.status, state.dataUpdateCount),
  });
  const reads = dataUpdatedAt === 0 ? 0 : (client.getQueryState(queryKey)?.dataUpdateCount ?? 0);
  const isGranted = data?.status === 'granted';
  useEffect(() => {
    if (!isGranted) return;
    for (const route of paymentReads) void client.invalidateQueries({ queryKey: [route.id] });
  }, [client, isGranted]);

  if (!data && error && toApiError(error).code === 'NOT_FOUND')
    return (
      <Notice tone="error" actions={<Close onClick={onClose}>{t`Dismiss`}</Close>}>
        <Trans>This account has no payment {id}. If you paid with another account, sign in to that account.</Trans>
      </Notice>
    );
  if (!data && error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={70} radius="md" />;
  const isWaiting = msAfter(data.status, reads) !== false;
  const { tone, text } = returnText(data, { isCancelled, isWaiting });
  return (
    <Notice
      tone={tone}
      icon={isGranted ? 'check' : tone === 'info' ? 'info' : 'alert'}
      actions={
        <>
          <NextStep payment={data} isSlow={!isWaiting && !isCancelled} onCheck={() => void refetch()} />
          <Close onClick={onClose}>{t`Dismiss`}</Close>
        </>
      }
    >
      {text} {isGranted && <BalanceNow />}
    </Notice>
  );
}

function BalanceNow() {
  const { data, isFetching } = useCredits();
  return data && !isFetching ? t`Your balance is now ${{ credits: creditCount(data.balance) }}.` : '';
}

interface NextStepProps {
  readonly payment: PaymentRecord;
  /** True if all polls are used and the payment is still open. */
  readonly isSlow: boolean;
  readonly onCheck: () => void;
}

function NextStep({ payment, isSlow, onCheck }: NextStepProps) {
  const { status, kind, url, receiptUrl } = payment;
  const portal = usePortal();
  const payPage = url !== undefined && (
    <a href={url}>{status === 'action_required' ? t`Confirm the payment` : t`Continue to payment`}</a>
  );
  const again = isSlow && <Close onClick={onCheck}>{t`Check again`}</Close>;
  const card = <PortalLink portal={portal}>{t`Change the card`}</PortalLink>;
  const retry = isForPlan(payment) ? <Link href="/plans">{t`Choose a plan`}</Link> : kind === 'pack' && <BuyAgain />;
  const receipt = receiptUrl !== null && (
    <a href={receiptUrl} target="_blank" rel="noreferrer">
      <Trans>View receipt</Trans>
    </a>
  );
  const onward = isForPlan(payment) ? (
    <Link href="/plans">{t`View plans`}</Link>
  ) : (
    <Link href="/playground">{t`Open the playground`}</Link>
  );
  const steps: Readonly<Record<PaymentRecord['status'], ReactNode>> = {
    created: [payPage, again],
    action_required: [payPage, again],
    paid: [receipt, again],
    granted: [onward, receipt],
    failed: [retry, card],
    expired: [retry],
    refunded: [receipt],
    disputed: [receipt],
  };
  return (
    <>
      {steps[status]}
      {portal.error && <ErrorNotice error={portal.error} />}
    </>
  );
}

/** The packs are on the same page. */
const BuyAgain = () => <a href="#packs">{t`Buy credits`}</a>;

function Close({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Anchor component="button" type="button" onClick={onClick}>
      {children}
    </Anchor>
  );
}
