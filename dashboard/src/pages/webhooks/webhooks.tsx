import { Anchor, Button, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { webhooksPlan } from '#contract/billing/plans.ts';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { toApiError } from '../../api/http/api-error.ts';
import { useMe } from '../../api/reads.ts';
import { useData } from '../../api/use-data.ts';
import { Icon } from '../../components/elements/icon.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Page } from '../../components/layout/page.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { lateDialog } from '../../components/overlays/late.tsx';
import { useQuery } from '../../lib/hooks/use-query.ts';
import { planTitle } from '../../lib/names.ts';
import { Unconfirmed } from '../overview/unconfirmed.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { VerifyPanel } from './verify-panel.tsx';
import { WebhookTable } from './webhook-table.tsx';

const NewWebhookDialog = lateDialog(async () => (await import('./dialogs/new-webhook-dialog.tsx')).NewWebhookDialog);
const skeletons = ['a', 'b'];

export default function WebhooksPage() {
  const { data, error, refetch } = useData(webhookRoutes.listWebhooks, { query: {} });
  const { data: me } = useMe();
  const isUnconfirmed = me?.isConfirmed === false;
  const [query, change] = useQuery();
  const [isCreating, creation] = useDisclosure(false);
  const webhooks = data?.items ?? [];
  const chosen = webhooks.find(({ id }) => id === query.get('webhook')) ?? webhooks[0];
  const hasNoPlan = error !== null && toApiError(error).code === 'INSUFFICIENT_PERMISSIONS';
  const newWebhook = (
    <Button leftSection={<Icon name="plus" />} onClick={creation.open}>
      Create webhook
    </Button>
  );

  return (
    <Page
      title="Webhooks"
      lead="Account events, such as low credits, are sent to your server as signed HTTPS requests."
      actions={data && newWebhook}
    >
      <Stack gap="lg">
        {isUnconfirmed && <Unconfirmed email={me.email} />}
        <Panel title="Your webhooks">
          {hasNoPlan && <NoPlan />}
          {error && !data && !hasNoPlan && !isUnconfirmed && (
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          )}
          {!data && !error && skeletons.map((id) => <Skeleton key={id} height={44} my="xs" />)}
          {data && webhooks.length === 0 && (
            <Empty icon="webhooks" title="No webhooks yet" action={newWebhook}>
              Create one for a URL on your server, then send a test event.{' '}
              <Anchor component={Link} href="/guides/webhooks" display="inline-block" inherit underline="always">
                How webhooks work
              </Anchor>
            </Empty>
          )}
          {webhooks.length > 0 && (
            <WebhookTable webhooks={webhooks} chosen={chosen?.id} onChoose={(id) => change({ webhook: id })} />
          )}
        </Panel>
        {chosen && <DeliveriesPanel key={chosen.id} webhook={chosen} />}
        {data && <VerifyPanel />}
      </Stack>
      <NewWebhookDialog isOpen={isCreating} onClose={creation.close} onCreated={(id) => change({ webhook: id })} />
    </Page>
  );
}

function NoPlan() {
  return (
    <Empty
      icon="webhooks"
      title="Webhooks aren’t included in your plan"
      action={
        <Anchor component={Link} href="/plans" underline="always">
          Compare plans
        </Anchor>
      }
    >
      Available on {planTitle(webhooksPlan.name)} and larger plans.
    </Empty>
  );
}
