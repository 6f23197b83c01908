import { type DynamoDBDocumentClient, DeleteCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { longAudio } from '#contract/audio/transcriptions.ts';
import { tables } from '#contract/platform/tables.ts';
import type { Job } from '#domain/audio/jobs/job.ts';
import type { JobStore } from '#domain/audio/jobs/ports.ts';
import type { RefundWrite } from '#domain/meter/refunds.ts';
import { closingOf } from '../meter/meter-calls.ts';
import { writeRefund } from '../meter/refund-write.ts';
import { conditionally } from '../shared/conditional.ts';
import { newestFirst } from '../shared/pages.ts';
import { readItem } from '../shared/read-item.ts';
import { commit, failedItems, putNew, type TransactItem } from '../shared/transaction.ts';
import {
  jobKey,
  jobPrefix,
  jobRow,
  endedRow,
  partition,
  shards,
  StoredJob,
  StoredKey,
  StoredUpload,
  uploadKey,
  uploadRow,
} from './audio-items.ts';
import { openWork } from './open-work.ts';

/** Changes of what is open that may come between; each is of the account itself. */
const maxTries = 8;

/** How long an account's job counts at most. */
const maxOpenMs = 8 * 3600_000;

const isOpen = '#status IN (:queued, :running)';
const openNames = { '#status': 'status' };
const openValues = { ':queued': 'queued', ':running': 'running' };

/** Uploads and jobs in DynamoDB. What touches credits is one transaction with the meter. */
export function jobStore(client: DynamoDBDocumentClient, table: string, meters: () => string): JobStore {
  const open = openWork(client, table);

  async function findUpload(...[ref, now]: Parameters<JobStore['findUpload']>) {
    const item = await readItem(client, table, uploadKey(ref));
    const upload = item && v.parse(StoredUpload, item);
    return upload && upload.expiresAt > now ? upload : undefined;
  }

  async function find(...[ref, now]: Parameters<JobStore['find']>) {
    const item = await readItem(client, table, jobKey(ref));
    const job = item && v.parse(StoredJob, item);
    return job && job.expiresAt > now ? job : undefined;
  }

  /** With what comes back, and nothing that is no longer so. */
  async function ended(job: Job, refund: RefundWrite, end: TransactItem) {
    const written = await writeRefund(client, meters(), refund, end);
    if (written === 'done') await open.removeJob(job);
    return written;
  }

  return {
    async addUpload(upload) {
      for (let tries = 0; tries < maxTries; tries++) {
        const before = await open.read(upload.accountId, upload.createdAt);
        if (Object.keys(before.uploads).length >= longAudio.openUploads) return false;
        const uploads = { ...before.uploads, [upload.id]: upload.expiresAt };
        const writes = [open.replaced(upload.accountId, before, { uploads }), putNew(table, uploadRow(upload))];
        if (await commit(client, writes)) return true;
      }
      return false;
    },
    findUpload,
    async removeUpload(ref) {
      await client.send(new DeleteCommand({ TableName: table, Key: uploadKey(ref) }));
      await open.removeUpload(ref);
    },
    async noteFacts(ref, { version, container, seconds, maxSeconds }) {
      const update = new UpdateCommand({
        TableName: table,
        Key: uploadKey(ref),
        UpdateExpression: 'SET facts = :facts',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: {
          ':facts': {
            version,
            container,
            ...(seconds !== undefined && { seconds }),
            ...(maxSeconds !== undefined && { maxSeconds }),
          },
        },
      });
      await conditionally(client.send(update));
    },
    async hasRoom(accountId, now) {
      return Object.keys((await open.read(accountId, now)).jobs).length < longAudio.openJobs;
    },
    async create(job, settlement) {
      const { accountId, uploadId, createdAt: now } = job;
      const upload = { accountId, id: uploadId };
      for (let tries = 0; tries < maxTries; tries++) {
        const before = await open.read(accountId, now);
        if (Object.keys(before.jobs).length >= longAudio.openJobs) return 'full';
        const { [uploadId]: _, ...uploads } = before.uploads;
        const change = { uploads, jobs: { ...before.jobs, [job.id]: now + maxOpenMs } };
        const failed = await failedItems(client, [
          closingOf(meters(), settlement),
          putNew(table, jobRow(job)),
          taken(upload, job.id),
          open.replaced(accountId, before, change),
        ]);
        if (failed.length === 0) return 'done';
        if (failed.includes(0)) return 'meter changed';
        const current = await findUpload(upload, now);
        if (!current || current.jobId !== undefined) return 'taken';
      }
      return 'taken';
    },
    async freeUpload(ref, jobId) {
      const update = new UpdateCommand({
        TableName: table,
        Key: uploadKey(ref),
        UpdateExpression: 'REMOVE jobId',
        ConditionExpression: 'jobId = :job',
        ExpressionAttributeValues: { ':job': jobId },
      });
      await conditionally(client.send(update));
    },
    find,
    async page(accountId, { limit, cursor }, now) {
      const list = { pk: partition(accountId), prefix: jobPrefix, cursor, limit, schema: StoredJob, now };
      return newestFirst(client, table, list);
    },
    async started(ref, now, deadline) {
      const update = new UpdateCommand({
        TableName: table,
        Key: jobKey(ref),
        UpdateExpression: 'SET #status = :running, updatedAt = :now, deadline = :deadline, due = :due',
        ConditionExpression: '#status = :queued',
        ExpressionAttributeNames: openNames,
        ExpressionAttributeValues: {
          ...openValues,
          ':now': now,
          ':deadline': deadline,
          ':due': Math.ceil(deadline / 1000),
        },
      });
      await conditionally(client.send(update));
    },
    end(job, write) {
      const Put = { TableName: table, Item: endedRow(job), ConditionExpression: isOpen };
      return ended(job, write, {
        Put: { ...Put, ExpressionAttributeNames: openNames, ExpressionAttributeValues: openValues },
      });
    },
    endAndRemove(job, write) {
      const Delete = { TableName: table, Key: jobKey(job), ConditionExpression: isOpen };
      return writeRefund(client, meters(), write, {
        Delete: { ...Delete, ExpressionAttributeNames: openNames, ExpressionAttributeValues: openValues },
      });
    },
    forget: open.removeJob,
    async remove(ref) {
      await client.send(new DeleteCommand({ TableName: table, Key: jobKey(ref) }));
    },
    async *overdue(now) {
      for (let shard = 0; shard < shards; shard++) {
        const query = {
          TableName: table,
          IndexName: 'due',
          KeyConditionExpression: 'p = :shard AND #due <= :now',
          ExpressionAttributeNames: { '#due': tables.transcriptions.indexes.due.sortKey.name },
          ExpressionAttributeValues: { ':shard': shard, ':now': Math.floor(now / 1000) },
        };
        for await (const { Items = [] } of paginateQuery({ client }, query))
          for (const item of Items) yield v.parse(StoredKey, item);
      }
    },
  };

  function taken(ref: Parameters<typeof uploadKey>[0], jobId: string): TransactItem {
    return {
      Update: {
        TableName: table,
        Key: uploadKey(ref),
        UpdateExpression: 'SET jobId = :job',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(jobId)',
        ExpressionAttributeValues: { ':job': jobId },
      },
    };
  }
}
