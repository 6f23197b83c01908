import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useNow } from '../../api/config.ts';
import { usePortal, useTopUp } from '../../api/payments.ts';
import { Detail, Details } from '../../components/details.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { cardExpiry, cardTitle, isExpired } from '../../lib/payment-text.ts';

export function CardPanel() {
  const { data, error, refetch } = useTopUp();
  const portal = usePortal();
  const now = useNow();
  return (
    <Panel title="Card and invoices">
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={112} radius="md" />}
      {data && (
        <Stack gap="sm">
          {data.card ? (
            <Details>
              <Detail title="Saved card">{cardTitle(data.card)}</Detail>
              <Detail title={isExpired(data.card, now) ? 'Expired' : 'Expires'}>{cardExpiry(data.card)}</Detail>
            </Details>
          ) : (
            <Text size="sm">No card is saved. Your first payment saves one.</Text>
          )}
          <Text size="sm" c="dimmed">
            Change the card, your address and your tax ID, and find all invoices, in the customer portal of our payment
            provider.
          </Text>
          {portal.error && <ErrorNotice error={portal.error} />}
          <Button
            variant="default"
            w="fit-content"
            loading={portal.isRunning}
            onClick={() => void portal.run(undefined)}
          >
            Open customer portal
          </Button>
        </Stack>
      )}
    </Panel>
  );
}
