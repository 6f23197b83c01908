import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { InferOutput } from 'valibot';
import type { PackList } from '#contract/payments/payments.ts';
import { paymentRoutes } from '#contract/routes/payments.ts';
import { useNow } from '../../api/config.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { paymentReads, useCheckout, usePacks } from '../../components/payments.tsx';
import { type Column, DataTable, PagedList, RefreshButton, useRoutePages } from '../../components/tables.tsx';
import { creditCount, formatCents, formatDay, formatPast } from '../../lib/format.ts';
import { lastDayOf, type PaymentRecord, paymentTitle, statusLabel } from '../../lib/payment-text.ts';
import css from './billing.module.css';

type Pack = InferOutput<typeof PackList>['items'][number];

/** Packs of credits with a button to buy each. */
export function Packs() {
  const { data, error, refetch } = usePacks();
  const checkout = useCheckout();
  const now = useNow();
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={132} radius="md" />;
  return (
    <Stack gap="sm">
      {checkout.error && <ErrorNotice error={checkout.error} />}
      <ul className={css.packs}>
        {data.items.map((pack) => (
          <PackCard key={pack.id} pack={pack} now={now} isLeaving={checkout.isRunning} onBuy={checkout.run} />
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        <Trans>
          You pay on our payment provider’s page, which may add taxes. Bought credits remain when a plan ends.
        </Trans>
      </Text>
    </Stack>
  );
}

interface PackCardProps {
  readonly pack: Pack;
  readonly now: number;
  readonly isLeaving: boolean;
  readonly onBuy: (purchase: { pack: string }) => Promise<unknown>;
}

function PackCard({ pack: { id, credits, amount, validMonths }, now, isLeaving, onBuy }: PackCardProps) {
  const price = formatCents(amount);
  const sold = creditCount(credits);
  const day = formatDay(lastDayOf(validMonths, now));
  return (
    <li className={css.pack}>
      <div>
        <Text fw={600}>{sold}</Text>
        <Text size="sm" c="dimmed">
          <Trans>Valid until {day}</Trans>
        </Text>
      </div>
      <Text className={css.price}>{price}</Text>
      <Button
        fullWidth
        disabled={isLeaving}
        onClick={() => void onBuy({ pack: id })}
        aria-label={t`Buy ${{ credits: sold }} for ${price}`}
      >
        <Trans>Buy</Trans>
      </Button>
    </li>
  );
}

export const usePayments = (isEnabled = true) =>
  useRoutePages({
    route: paymentRoutes.listPayments,
    input: (query) => ({ query }),
    pageSize: 20,
    rowsOf: ({ items }) => items,
    isEnabled,
  });

export function PaymentsPanel() {
  const pages = usePayments();
  const client = useQueryClient();
  const refreshRest = (): void => {
    for (const route of paymentReads)
      if (route !== paymentRoutes.listPayments) void client.invalidateQueries({ queryKey: [route.id] });
  };
  return (
    <Panel title={t`Payments`} aside={<RefreshButton pages={pages} onRefresh={refreshRest} />}>
      <PagedList
        pages={pages}
        empty={
          <Empty icon="billing" title={t`No payments yet`}>
            <Trans>Purchases and renewals appear here with their receipts and invoices.</Trans>
          </Empty>
        }
      >
        {(payments) => <PaymentTable payments={payments} />}
      </PagedList>
    </Panel>
  );
}

const columnsAt = (now: number): Column<PaymentRecord>[] => [
  {
    title: t`Date`,
    place: 'lead',
    cell: ({ paidAt, createdAt }) => <span className="number">{formatPast(paidAt ?? createdAt, now)}</span>,
  },
  { title: t`Payment`, place: 'wide', cell: paymentTitle },
  {
    title: t`Status`,
    cell: (payment) => {
      const { title, color } = statusLabel(payment);
      return <Badge color={color}>{title}</Badge>;
    },
  },
  { title: t`Amount`, place: 'end', cell: (payment) => <Amount payment={payment} /> },
  { title: t`Documents`, place: 'wide', cell: (payment) => <Documents payment={payment} now={now} /> },
];

function PaymentTable({ payments }: { payments: readonly PaymentRecord[] }) {
  const now = useNow();
  return (
    <DataTable caption={t`Payments, newest first`} columns={columnsAt(now)} rows={payments} idOf={({ id }) => id} />
  );
}

function Amount({ payment: { amount, refundedAmount, status } }: { payment: PaymentRecord }) {
  const returned = formatCents(refundedAmount);
  return (
    <>
      {formatCents(amount)}
      {refundedAmount > 0 && (
        <Text size="xs" c="dimmed">
          {status === 'disputed' ? t`${{ amount: returned }} disputed` : t`${{ amount: returned }} refunded`}
        </Text>
      )}
    </>
  );
}

/** Links to the receipt and the invoice, or to the page that takes the payment. */
function Documents({ payment, now }: { payment: PaymentRecord; now: number }) {
  const { url, receiptUrl, invoiceUrl, status, createdAt } = payment;
  const [title, date] = [paymentTitle(payment), formatPast(createdAt, now)];
  if (url === undefined && receiptUrl === null && invoiceUrl === null) return '–';
  return (
    <span className={css.links}>
      {url !== undefined && (
        <Anchor href={url} inherit>
          {status === 'action_required' ? <Trans>Confirm</Trans> : <Trans>Pay now</Trans>}
        </Anchor>
      )}
      {receiptUrl !== null && (
        <DocumentLink href={receiptUrl} label={t`Receipt of ${{ payment: title }}, ${date}`}>
          <Trans>Receipt</Trans>
        </DocumentLink>
      )}
      {invoiceUrl !== null && (
        <DocumentLink href={invoiceUrl} label={t`Invoice of ${{ payment: title }}, ${date} (PDF)`}>
          <Trans>Invoice (PDF)</Trans>
        </DocumentLink>
      )}
    </span>
  );
}

function DocumentLink({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  return (
    <Anchor href={href} inherit target="_blank" rel="noreferrer" aria-label={label}>
      {children}
    </Anchor>
  );
}
