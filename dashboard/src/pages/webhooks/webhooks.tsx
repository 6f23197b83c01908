import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Button, Skeleton, Stack, Text, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy } from 'react';
import { Link } from 'wouter';
import { webhooksPlan } from '#contract/billing/plans.ts';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { useData, useMe } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { Unconfirmed } from '../../components/emails.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { LateMenu, type MenuButton } from '../../components/overlays.tsx';
import { Empty, NotInPlan, Page, Panel } from '../../components/page.tsx';
import { type Column, DataTable } from '../../components/tables.tsx';
import { formatDay } from '../../lib/format.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks.ts';
import { lateDialog, orReload } from '../../lib/load.ts';
import { planTitle } from '../../lib/offer.ts';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { verifySnippets } from './verify-snippets.ts';
import { eventsOf, titleOf, WebhookBadge, type WebhookRecord } from './webhook.tsx';
import css from './webhooks.module.css';

const NewWebhookDialog = lateDialog(async () => (await import('./webhook-dialogs.tsx')).NewWebhookDialog);
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
      <Trans>Create webhook</Trans>
    </Button>
  );

  return (
    <Page
      title={t`Webhooks`}
      lead={t`Account events, such as low credits, are sent to your server as signed HTTPS requests.`}
      actions={data && newWebhook}
    >
      <Stack gap="lg">
        {isUnconfirmed && <Unconfirmed email={me.email} />}
        <Panel title={t`Your webhooks`}>
          {hasNoPlan && <NoPlan />}
          {error && !data && !hasNoPlan && !isUnconfirmed && (
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          )}
          {!data && !error && skeletons.map((id) => <Skeleton key={id} height={44} my="xs" />)}
          {data && webhooks.length === 0 && (
            <Empty icon="webhooks" title={t`No webhooks yet`} action={newWebhook}>
              <Trans>
                Create one for a URL on your server, then send a test event.{' '}
                <Anchor component={Link} href="/guides/webhooks" display="inline-block" inherit underline="always">
                  How webhooks work
                </Anchor>
              </Trans>
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
    <NotInPlan icon="webhooks" title={t`Webhooks aren’t included in your plan`}>
      {webhooksPlan.name === undefined
        ? t`No plan includes webhooks.`
        : t`Available on ${{ plan: planTitle(webhooksPlan.name) }} and larger plans.`}
    </NotInPlan>
  );
}

/** Without a description the URL is the title and is not repeated. */
const isNamed = ({ description }: WebhookRecord): boolean => description !== null;

const urlColumn: Column<WebhookRecord> = {
  title: 'URL',
  place: 'wide',
  cell: (webhook) =>
    isNamed(webhook) ? (
      <span className={`mono ${css.cut}`} title={webhook.url}>
        {webhook.url}
      </span>
    ) : (
      '–'
    ),
};

interface WebhookTableProps {
  readonly webhooks: readonly WebhookRecord[];
  /** Id of the webhook whose deliveries are shown. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

function WebhookTable({ webhooks, chosen, onChoose }: WebhookTableProps) {
  const columns: Column<WebhookRecord>[] = [
    {
      title: t`Webhook`,
      place: 'lead',
      cell: (webhook) => (
        <Anchor
          component="button"
          type="button"
          inherit
          className={css.cut}
          title={titleOf(webhook)}
          aria-pressed={webhook.id === chosen}
          onClick={() => onChoose(webhook.id)}
        >
          <bdi>{titleOf(webhook)}</bdi>
        </Anchor>
      ),
    },
    { title: t`Status`, cell: (webhook) => <WebhookBadge webhook={webhook} /> },
    ...(webhooks.some(isNamed) ? [urlColumn] : []),
    {
      title: t`Events`,
      cell: (webhook) => (
        <span className={css.cut} title={eventsOf(webhook)}>
          {eventsOf(webhook)}
        </span>
      ),
    },
    { title: t`Created`, cell: ({ createdAt }) => formatDay(createdAt) },
    { title: t`Actions`, place: 'corner', cell: (webhook) => <WebhookMenu webhook={webhook} /> },
  ];
  return <DataTable caption={t`Webhooks`} columns={columns} rows={webhooks} idOf={({ id }) => id} />;
}

const load = orReload(() => import('./webhook-dialogs.tsx'));
const WebhookPopup = lazy(load);

function WebhookMenu({ webhook }: { webhook: WebhookRecord }) {
  const button: MenuButton = (props) => (
    <ActionIcon
      {...props}
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={t`Actions for ${{ name: titleOf(webhook) }}`}
    >
      <Icon name="more" />
    </ActionIcon>
  );
  return (
    <LateMenu
      load={load}
      button={button}
      menu={(props) => <WebhookPopup webhook={webhook} button={button} {...props} />}
    />
  );
}

function VerifyPanel() {
  const [language, setLanguage] = useQueryChoice('language', ['node', 'python']);
  return (
    <Panel title={t`Verify signatures`}>
      <Text size="sm" c="dimmed" mb="sm">
        <Trans>
          Requests are signed according to Standard Webhooks. Verify the raw body before you parse it, and respond with
          2xx within 15 s.
        </Trans>
      </Text>
      <Tabs value={language} onChange={setLanguage} variant="pills" keepMounted={false}>
        <Tabs.List mb="sm" aria-label={t`Language`}>
          {verifySnippets.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {verifySnippets.map(({ id, title, code }) => (
          <Tabs.Panel key={id} value={id}>
            <CodeBlock code={code} what={t`${title} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}
