import { Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useNow } from '../../api/clock.ts';
import { useCredits } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { formatWhole } from '../../lib/format.ts';
import { Gauge } from './gauge.tsx';
import { LotRow } from './lot-row.tsx';
import css from './overview.module.css';
import { PaceLine } from './pace-line.tsx';

/** What is left, and when which grant runs out. */
export function CreditsPanel() {
  const { data, error, refetch } = useCredits();
  const now = useNow();
  const held = data && data.held > 0 && (
    <Text size="sm" c="dimmed">
      {formatWhole(data.held)} reserved by running calls
    </Text>
  );
  return (
    <Panel
      title="Credits"
      aside={
        held || (
          <Anchor component={Link} href="/usage" size="sm">
            View usage
          </Anchor>
        )
      }
    >
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={208} radius="md" />}
      {data && (
        <div className={css.credits}>
          <Gauge left={data.balance} granted={data.lots.reduce((sum, lot) => sum + lot.granted, 0)} />
          <Stack gap="md">
            {data.lots.length === 0 ? (
              <Text size="sm" c="dimmed">
                No credits left. New credits come with the next billing month, or immediately with a larger plan.
              </Text>
            ) : (
              <ul className={css.lots}>
                {data.lots.map((lot) => (
                  <LotRow key={`${lot.expiresAt}-${lot.source}-${lot.granted}`} lot={lot} now={now} />
                ))}
              </ul>
            )}
            <PaceLine balance={data.balance} />
          </Stack>
        </div>
      )}
    </Panel>
  );
}
