import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { fileKeys } from '#domain/audio/jobs/job.ts';
import { batchesOf, deleteKeys, type Key, keysIn } from '../shared/deletion.ts';
import { partition } from './audio-items.ts';

/** Deletes the uploads and jobs of an account, with their files before them: a row names what is left. */
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
  for await (const batch of batchesOf(keysIn(client, table, partition(accountId)))) {
    signal?.throwIfAborted();
    await removeFiles(...batch.flatMap(filesOf));
    await deleteKeys(client, table, batch);
  }
}
