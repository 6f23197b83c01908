import { Badge, Skeleton, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { MailList } from '#contract/operators/mails.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { useData } from '../../../api/use-data.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { type Column, DataTable } from '../../../components/tables/data-table.tsx';
import { formatSecond, formatStamp } from '../../../lib/format.ts';

type Mail = InferOutput<typeof MailList>['mails'][number];

const states: Readonly<Record<Mail['state'], { title: string; color: string }>> = {
  waiting: { title: 'Waiting', color: 'yellow.8' },
  sent: { title: 'Sent', color: 'pine' },
  rejected: { title: 'Rejected', color: 'red' },
  suppressed: { title: 'Blocked', color: 'red' },
  expired: { title: 'Expired', color: 'red' },
};
const causes = { bounce: 'bounced', complaint: 'was reported as spam' } as const;

const columns: Column<Mail>[] = [
  { title: 'Created', place: 'lead', cell: ({ at }) => <span className="number">{formatSecond(at)}</span> },
  { title: 'Subject', place: 'wide', cell: ({ subject }) => subject },
  { title: 'Status', cell: ({ state }) => <Badge color={states[state].color}>{states[state].title}</Badge> },
  { title: 'Since', cell: ({ stateAt }) => (stateAt === null ? '–' : formatSecond(stateAt)) },
];

/** Which mails were sent and when; their text is not kept. */
export function AccountMails({ id }: { id: number }) {
  const { data, error, refetch } = useData(operatorRoutes.listAccountMails, { path: { id: String(id) } });
  return (
    <Panel title="Emails">
      <Stack gap="md">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={180} radius="md" />}
        {data?.suppression && (
          <Notice tone="warning">
            An email to this address {causes[data.suppression.reason]} on {formatStamp(data.suppression.at)}. No more
            emails are sent to this address.
          </Notice>
        )}
        {data?.mails.length === 0 && <Empty icon="mail" title="No emails in the last 30 days" />}
        {data && data.mails.length > 0 && (
          <>
            <DataTable
              caption="Emails, newest first"
              columns={columns}
              rows={data.mails}
              idOf={({ at, subject }) => `${at} ${subject}`}
            />
            <Text size="sm" c="dimmed">
              The newest 20 from the last 30 days, without their text. Sent means that the email service accepted it.
            </Text>
          </>
        )}
      </Stack>
    </Panel>
  );
}
