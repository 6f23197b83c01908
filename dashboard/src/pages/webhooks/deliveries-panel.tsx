import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { call } from '../../api/call.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { DetailsDrawer, useOpened } from '../../components/overlays/details-drawer.tsx';
import { PagedList, RefreshButton } from '../../components/tables/paged-list.tsx';
import { usePages } from '../../components/tables/use-pages.ts';
import { DeliveryDetails } from './delivery-details.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { titleOf, type WebhookRecord } from './webhook.tsx';

const pageSize = 25;

/** How often a list with pending deliveries is read again, in ms. */
const pendingPollMs = 3000;

/** What was sent to a webhook, and what came of it. */
export function DeliveriesPanel({ webhook }: { webhook: WebhookRecord }) {
  const path = { id: webhook.id };
  const pages = usePages({
    queryKey: [webhookRoutes.listDeliveries.id, webhook.id],
    read: (cursor, signal) =>
      call(webhookRoutes.listDeliveries, { path, query: { limit: String(pageSize), cursor } }, { signal }),
    rowsOf: ({ items }) => items,
    pollMs: (first) => first?.items.some(({ status }) => status === 'pending') === true && pendingPollMs,
  });
  const { item: opened, isOpen, open, close } = useOpened<string>();
  return (
    <Panel title={`Deliveries to ${titleOf(webhook)}`} aside={<RefreshButton pages={pages} />}>
      <PagedList
        pages={pages}
        empty={
          <Empty icon="send" title="No deliveries yet">
            Send a test from the webhook’s menu; events appear here for 30 days.
          </Empty>
        }
      >
        {(deliveries) => <DeliveryTable deliveries={deliveries} onOpen={({ id }) => open(id)} />}
      </PagedList>
      <DetailsDrawer
        title="Delivery"
        size={520}
        item={pages.data?.find(({ id }) => id === opened)}
        isOpen={isOpen}
        onClose={close}
      >
        {(delivery) => <DeliveryDetails webhook={webhook} delivery={delivery} />}
      </DetailsDrawer>
    </Panel>
  );
}
