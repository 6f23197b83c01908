import * as v from 'valibot';
import { timestampKinds, transcriptionStatuses } from '#contract/audio/transcriptions.ts';
import type { AudioRef, Job, Upload } from '#domain/audio/jobs/job.ts';
import { storedInstant } from '../accounts/account-items.ts';
import { StoredCharge } from '../meter/stored-charge.ts';

/** Keys of the `transcriptions` table: all of an account in its partition; `open` counts what has not ended there. */
export const partition = (accountId: number): string => `account#${accountId}`;
const uploadPrefix = 'upload#';
export const jobPrefix = 'job#';
export const uploadKey = ({ accountId, id }: AudioRef) => ({ pk: partition(accountId), sk: `${uploadPrefix}${id}` });
export const jobKey = ({ accountId, id }: AudioRef) => ({ pk: partition(accountId), sk: `${jobPrefix}${id}` });
export const openKey = (accountId: number) => ({ pk: partition(accountId), sk: 'open' });

/** The sweep's index is spread over so many partitions. */
export const shards = 8;

const idIn = (key: string): string => key.slice(key.indexOf('#') + 1);
const keys = { pk: v.string(), sk: v.string() };

export const StoredKey = v.pipe(
  v.object(keys),
  v.transform(({ pk, sk }): AudioRef => ({ accountId: Number(idIn(pk)), id: idIn(sk) })),
);

export const StoredUpload = v.pipe(
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

export const StoredJob = v.pipe(
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

/** What has not ended, by id, with the moment (epoch ms) at which it no longer counts. */
export const OpenRow = v.object({
  version: v.number(),
  uploads: v.record(v.string(), v.number()),
  jobs: v.record(v.string(), v.number()),
});
export type OpenRow = v.InferOutput<typeof OpenRow>;

const ttlOf = (expiresAt: number): number => Math.ceil(expiresAt / 1000);

export function uploadRow({ accountId, id, ...upload }: Upload) {
  return { ...uploadKey({ accountId, id }), ...upload, ttl: ttlOf(upload.expiresAt) };
}

/** An open one is in the sweep's index, under its deadline. */
export function jobRow(job: Job) {
  return { ...endedRow(job), p: job.accountId % shards, due: Math.ceil(job.deadline / 1000) };
}

export function endedRow({ accountId, id, ...job }: Job) {
  return { ...jobKey({ accountId, id }), ...job, ttl: ttlOf(job.expiresAt) };
}
