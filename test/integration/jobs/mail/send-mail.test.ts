import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { metrics, metricsService } from '#contract/platform/metrics.ts';
import { tables } from '#contract/platform/resources.ts';
import { sendMail } from '#jobs/mail.ts';
import { openMailStore } from '#local/mail/inbox.ts';
import { startSes } from '#local/mail/ses.ts';
import { createFaults } from '#local/shared/faults.ts';
import { mailRow } from '#repositories/accounts/account-items.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { testFolder } from '#test/folder.ts';
import { withEnvironment } from '#test/service/environment.ts';

const handler = sendMail();

const faults = createFaults();
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let close: () => Promise<void>;
beforeAll(async () => {
  database = await startTestDatabase();
  const mails = await openMailStore(`${await testFolder()}/mails.ndjson`);
  const ses = await startSes({ mails, faults, now: () => Date.now() });
  const restore = withEnvironment({
    ACCOUNTS_TABLE: tables.accounts.name,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_ENDPOINT_URL_SES: ses.url,
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_METRICS_NAMESPACE: 'text-ai-test',
    POWERTOOLS_SERVICE_NAME: metricsService,
  });
  close = async () => {
    restore();
    await ses.close();
    await database.close();
  };
});
afterAll(() => close());

/** Puts an email into the outbox and runs the job on it. Returns the metrics. */
async function send(id: string): Promise<Record<string, unknown>[]> {
  const row = mailRow({ id, to: 'ann@example.org', subject: 's', text: 't', html: 'h' }, Date.now());
  await database.client.send(new PutCommand({ TableName: tables.accounts.name, Item: row }));
  const Records = [{ dynamodb: { NewImage: marshall(row), SequenceNumber: '1' } }];
  const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    const response = await handler({ Records } as DynamoDBStreamEvent);
    expect(response).toEqual({ batchItemFailures: [] });
    return lines.mock.calls.map(([line]) => JSON.parse(String(line)));
  } finally {
    lines.mockRestore();
  }
}

describe('the email job', () => {
  it('counts an email that SES rejects as failed, not as sent', async () => {
    expect(await send('sent-1')).toEqual([]);
    faults.order({ target: 'ses', fault: 'reject', count: 1 });
    expect(await send('rejected-1')).toMatchObject([{ service: metricsService, [metrics.rejectedMails]: 1 }]);
  });
});
