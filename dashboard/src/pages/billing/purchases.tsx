import { Anchor, Badge, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { InferOutput } from 'valibot';
import type { PackList } from '#contract/payments/payments.ts';
import { paymentRoutes } from '#contract/routes/payments.ts';
import { call } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { paymentReads, useCheckout, usePacks } from '../../components/payments.tsx';
import { type Column, DataTable, PagedList, RefreshButton, usePages } from '../../components/tables.tsx';
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
        You pay on our payment provider’s page, which may add taxes. Bought credits remain when a plan ends.
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
  return (
    <li className={css.pack}>
      <div>
        <Text fw={600}>{creditCount(credits)}</Text>
        <Text size="sm" c="dimmed">
          Valid until {formatDay(lastDayOf(validMonths, now))}
        </Text>
      </div>
      <Text className={css.price}>{price}</Text>
      <Button
        fullWidth
        disabled={isLeaving}
        onClick={() => void onBuy({ pack: id })}
        aria-label={`Buy ${creditCount(credits)} for ${price}`}
      >
        Buy
      </Button>
    </li>
  );
}

const pageSize = 20;

export const usePayments = (isEnabled = true) =>
  usePages({
    queryKey: [paymentRoutes.listPayments.id],
    read: (cursor, signal) =>
      call(paymentRoutes.listPayments, { query: { limit: String(pageSize), cursor } }, { signal }),
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
    <Panel title="Payments" aside={<RefreshButton pages={pages} onRefresh={refreshRest} />}>
      <PagedList
        pages={pages}
        empty={
          <Empty icon="billing" title="No payments yet">
            Purchases and renewals appear here with their receipts and invoices.
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
    title: 'Date',
    place: 'lead',
    cell: ({ paidAt, createdAt }) => <span className="number">{formatPast(paidAt ?? createdAt, now)}</span>,
  },
  { title: 'Payment', place: 'wide', cell: paymentTitle },
  {
    title: 'Status',
    cell: (payment) => {
      const { title, color } = statusLabel(payment);
      return <Badge color={color}>{title}</Badge>;
    },
  },
  { title: 'Amount', place: 'end', cell: (payment) => <Amount payment={payment} /> },
  { title: 'Documents', place: 'wide', cell: (payment) => <Documents payment={payment} now={now} /> },
];

function PaymentTable({ payments }: { payments: readonly PaymentRecord[] }) {
  const now = useNow();
  return <DataTable caption="Payments, newest first" columns={columnsAt(now)} rows={payments} idOf={({ id }) => id} />;
}

function Amount({ payment: { amount, refundedAmount, status } }: { payment: PaymentRecord }) {
  return (
    <>
      {formatCents(amount)}
      {refundedAmount > 0 && (
        <Text size="xs" c="dimmed">
          {formatCents(refundedAmount)} {status === 'disputed' ? 'disputed' : 'refunded'}
        </Text>
      )}
    </>
  );
}

/** Links to the receipt and the invoice, or to the page that takes the payment. */
function Documents({ payment, now }: { payment: PaymentRecord; now: number }) {
  const { url, receiptUrl, invoiceUrl, status, createdAt } = payment;
  const of = `of ${paymentTitle(payment)}, ${formatPast(createdAt, now)}`;
  if (url === undefined && receiptUrl === null && invoiceUrl === null) return '–';
  return (
    <span className={css.links}>
      {url !== undefined && (
        <Anchor href={url} inherit>
          {status === 'action_required' ? 'Confirm' : 'Pay now'}
        </Anchor>
      )}
      {receiptUrl !== null && (
        <Anchor href={receiptUrl} inherit target="_blank" rel="noreferrer" aria-label={`Receipt ${of}`}>
          Receipt
        </Anchor>
      )}
      {invoiceUrl !== null && (
        <Anchor href={invoiceUrl} inherit target="_blank" rel="noreferrer" aria-label={`Invoice ${of} (PDF)`}>
          Invoice (PDF)
        </Anchor>
      )}
    </span>
  );
}
