import { Anchor, Badge, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { paymentRoutes } from '#contract/routes/payments.ts';
import { call } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { paymentReads } from '../../api/payments.ts';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, RefreshButton, usePages } from '../../components/tables.tsx';
import { formatCents, formatPast } from '../../lib/format.ts';
import { type PaymentRecord, paymentTitle, statusLabel } from '../../lib/payment-text.ts';
import css from './billing.module.css';

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
