import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { longAudio, timestampKinds, transcriptionStatuses } from '#contract/audio/transcription.ts';
import { tables } from '#contract/platform/resources.ts';
import { type AudioRef, fileKeys, type Job, type JobStore, type Upload } from '#domain/audio/job.ts';
import type { RefundWrite } from '#domain/meter/refund.ts';
import { storedInstant } from '../accounts/account-items.ts';
import { closingOf } from '../meter/meter-calls.ts';
import { StoredCharge, writeRefund } from '../meter/meters.ts';
import { conditionally } from '../shared/conditional.ts';
import { batchesOf, deleteKeys, keysIn } from '../shared/deletion.ts';
import { dueItems, everyShard } from '../shared/due.ts';
import { newestFirst } from '../shared/pages.ts';
import { accountPartition, type Key, readItem } from '../shared/read-items.ts';
import { commit, failedItems, putNew, type TransactItem } from '../shared/transaction.ts';

/** Only writes of the same account can conflict. */
const maxTries = 8;

const maxOpenMs = 8 * 3600_000;

const isOpen = '#status IN (:queued, :running)';
const openNames = { '#status': 'status' };
const openValues = { ':queued': 'queued', ':running': 'running' };

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
        if (Object.keys(before.jobs).length >= longAudio.openJobs) return 'too many jobs';
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
        if (!current || current.jobId !== undefined) return 'upload used';
      }
      return 'upload used';
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
      const list = { pk: accountPartition(accountId), prefix: jobPrefix, cursor, limit, schema: StoredJob, now };
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
      const index = { table, index: 'due', time: tables.transcriptions.indexes.due.sortKey.name };
      for await (const item of dueItems(client, index, everyShard(shards), Math.floor(now / 1000)))
        yield v.parse(StoredKey, item);
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

/** Keys of the `transcriptions` table. The `open` item counts unfinished uploads and jobs. */
const uploadPrefix = 'upload#';
const jobPrefix = 'job#';
const uploadKey = ({ accountId, id }: AudioRef) => ({ pk: accountPartition(accountId), sk: `${uploadPrefix}${id}` });
export const jobKey = ({ accountId, id }: AudioRef) => ({ pk: accountPartition(accountId), sk: `${jobPrefix}${id}` });
const openKey = (accountId: number) => ({ pk: accountPartition(accountId), sk: 'open' });

const shards = 8;

const idIn = (key: string): string => key.slice(key.indexOf('#') + 1);
const keys = { pk: v.string(), sk: v.string() };

const StoredKey = v.pipe(
  v.object(keys),
  v.transform(({ pk, sk }): AudioRef => ({ accountId: Number(idIn(pk)), id: idIn(sk) })),
);

const StoredUpload = v.pipe(
  v.object({
    ...keys,
    contentType: v.string(),
    bytes: v.number(),
    createdAt: storedInstant,
    expiresAt: storedInstant,
    jobId: v.exactOptional(v.string()),
    facts: v.exactOptional(
      v.object({
        version: v.string(),
        container: v.string(),
        seconds: v.exactOptional(v.number()),
        maxSeconds: v.exactOptional(v.number()),
      }),
    ),
  }),
  v.transform(({ pk, sk, ...upload }): Upload => ({ accountId: Number(idIn(pk)), id: idIn(sk), ...upload })),
);

const StoredJob = v.pipe(
  v.object({
    ...keys,
    uploadId: v.string(),
    language: v.exactOptional(v.string()),
    timestamps: v.picklist(timestampKinds),
    status: v.picklist(transcriptionStatuses),
    seconds: v.number(),
    heldSeconds: v.number(),
    charge: StoredCharge,
    durationSeconds: v.exactOptional(v.number()),
    cost: v.number(),
    createdAt: storedInstant,
    updatedAt: storedInstant,
    expiresAt: storedInstant,
    deadline: storedInstant,
  }),
  v.transform(({ pk, sk, ...job }): Job => ({ accountId: Number(idIn(pk)), id: idIn(sk), ...job })),
);

/** Unfinished uploads and jobs by id, with the time (epoch ms) at which they stop counting. */
const OpenRow = v.object({
  version: v.number(),
  uploads: v.record(v.string(), v.number()),
  jobs: v.record(v.string(), v.number()),
});
type OpenRow = v.InferOutput<typeof OpenRow>;

const ttlOf = (expiresAt: number): number => Math.ceil(expiresAt / 1000);

function uploadRow({ accountId, id, ...upload }: Upload) {
  return { ...uploadKey({ accountId, id }), ...upload, ttl: ttlOf(upload.expiresAt) };
}

function jobRow(job: Job) {
  return { ...endedRow(job), p: job.accountId % shards, due: Math.ceil(job.deadline / 1000) };
}

function endedRow({ accountId, id, ...job }: Job) {
  return { ...jobKey({ accountId, id }), ...job, ttl: ttlOf(job.expiresAt) };
}

const none: OpenRow = { version: 0, uploads: {}, jobs: {} };

/**
 * Counts an account's open work with optimistic locking. Entries expire, so that a lost removal blocks only
 * temporarily.
 */
function openWork(client: DynamoDBDocumentClient, table: string) {
  const remove =
    (list: 'uploads' | 'jobs') =>
    async ({ accountId, id }: AudioRef): Promise<void> => {
      await client
        .send(
          new UpdateCommand({
            TableName: table,
            Key: openKey(accountId),
            UpdateExpression: 'REMOVE #list.#id SET version = version + :one',
            ConditionExpression: 'attribute_exists(#list.#id)',
            ExpressionAttributeNames: { '#list': list, '#id': id },
            ExpressionAttributeValues: { ':one': 1 },
          }),
        )
        .catch(() => undefined);
    };

  return {
    async read(accountId: number, now: number): Promise<OpenRow> {
      const item = await readItem(client, table, openKey(accountId));
      const { version, uploads, jobs } = item ? v.parse(OpenRow, item) : none;
      return { version, uploads: alive(uploads, now), jobs: alive(jobs, now) };
    },
    replaced(accountId: number, before: OpenRow, change: Partial<Omit<OpenRow, 'version'>>): TransactItem {
      const Item = { ...openKey(accountId), ...before, ...change, version: before.version + 1 };
      const isNew = before.version === 0;
      return {
        Put: {
          TableName: table,
          Item,
          ConditionExpression: isNew ? 'attribute_not_exists(pk)' : 'version = :before',
          ...(!isNew && { ExpressionAttributeValues: { ':before': before.version } }),
        },
      };
    },
    removeUpload: remove('uploads'),
    removeJob: remove('jobs'),
  };
}

const alive = (moments: Readonly<Record<string, number>>, now: number) =>
  Object.fromEntries(Object.entries(moments).filter(([, moment]) => moment > now));

/** Deletes files before their rows, which identify the remaining files. */
export async function purgeAudio(
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  removeFiles: (...keys: readonly string[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  function filesOf({ sk }: Key): string[] {
    const [kind, id = ''] = sk.split('#');
    if (kind === 'upload') return [fileKeys.upload({ accountId, id })];
    return kind === 'job' ? [fileKeys.text({ accountId, id }), fileKeys.form({ accountId, id })] : [];
  }
  for await (const batch of batchesOf(keysIn(client, table, accountPartition(accountId)))) {
    signal?.throwIfAborted();
    await removeFiles(...batch.flatMap(filesOf));
    await deleteKeys(client, table, batch);
  }
}
