import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { explainOutage } from '../outage.ts';
import { services } from '../services/container.ts';
import { changeOf, type HandleImage, type ItemChange, itemOf, storedChange } from '../stream-image.ts';
import { logger } from '../telemetry.ts';

/** Maximum concurrent items; each spends most of its time waiting for DynamoDB. */
const maxConcurrentItems = 10;

interface ItemStreamOptions {
  /** Handles all images of an item at once. If it fails, `handle` gets them one by one. */
  readonly handleAll?: (images: readonly Record<string, unknown>[]) => Promise<void>;
  /** Groups the records that are handled together, in order. Default: those of an item. */
  readonly groupBy?: (record: DynamoDBRecord) => string;
  /** Default: 10. */
  readonly concurrency?: number;
  /** The only attributes that the queue receives, for images with secrets. Default: all. */
  readonly retryAttributes?: readonly string[];
}

/**
 * Handles the new images of a stream in the order of each item. A failed record moves to the queue with the later
 * records of its item. During an outage the stream redelivers from the first unfinished record.
 */
export function itemStreamJob(
  handle: HandleImage,
  retryQueue: () => Promise<MessageQueue>,
  { handleAll, groupBy = keyOf, concurrency = maxConcurrentItems, retryAttributes }: ItemStreamOptions = {},
) {
  const messageOf = (image: Image) =>
    retryAttributes ? Object.fromEntries(retryAttributes.map((name) => [name, image[name]])) : image;
  return itemsConcurrently(concurrency, groupBy, async (records, progress) => {
    let isFailing = false;
    if (progress.isStopped) return;
    if (handleAll && (await isHandled(records, handleAll))) return records.forEach(progress.done);
    for (const record of records) {
      if (progress.isStopped) return;
      const image = record.dynamodb?.NewImage;
      if (image) {
        isFailing ||= !(await succeeds(() => handle(itemOf(image))));
        if (isFailing) await (await retryQueue()).send(messageOf(image), { group: groupOf(record) });
      }
      progress.done(record);
    }
  });
}

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

export type HandleChanges = (changes: readonly ItemChange[]) => Promise<void>;

/** Like `itemStreamJob`, but handles all changes of an item together. If that fails, queues each as `{ change }`. */
function changeStreamJob(handle: HandleChanges, retryQueue: () => Promise<MessageQueue>) {
  return itemsConcurrently(maxConcurrentItems, keyOf, async (records, progress) => {
    if (progress.isStopped) return;
    const stored = records.flatMap((record) => storedChange(record) ?? []);
    if (stored.length > 0 && !(await succeeds(() => handle(stored.map(changeOf)))))
      for (const change of stored) await (await retryQueue()).send({ change }, { group: groupOf(records[0]) });
    for (const record of records) progress.done(record);
  });
}

interface Progress {
  readonly isStopped: boolean;
  readonly done: (record: DynamoDBRecord) => void;
}

type HandleItem = (records: readonly DynamoDBRecord[], progress: Progress) => Promise<void>;

const keyOf = ({ dynamodb }: DynamoDBRecord): string => JSON.stringify(dynamodb?.Keys);

function itemsConcurrently(concurrency: number, groupBy: (record: DynamoDBRecord) => string, handleItem: HandleItem) {
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const left = new Set(Records);
    const items = Map.groupBy(Records, groupBy).values();
    const progress = { isStopped: false, done: (record: DynamoDBRecord) => void left.delete(record) };

    async function work(): Promise<void> {
      for (const records of items) {
        try {
          await handleItem(records, progress);
        } catch (error) {
          progress.isStopped = true;
          logger().error('a stream record failed and will be retried', { error });
        }
      }
    }

    await Promise.all(Array.from({ length: concurrency }, work));
    return responseFor(left.values().next().value);
  };
}

async function isHandled(
  records: readonly DynamoDBRecord[],
  handleAll: NonNullable<ItemStreamOptions['handleAll']>,
): Promise<boolean> {
  try {
    await handleAll(records.flatMap(({ dynamodb }) => (dynamodb?.NewImage ? [itemOf(dynamodb.NewImage)] : [])));
    return true;
  } catch (error) {
    if (explainOutage(error)) throw error;
    return false;
  }
}

async function succeeds(handle: () => Promise<void>): Promise<boolean> {
  try {
    await handle();
    return true;
  } catch (error) {
    if (explainOutage(error)) throw error;
    logger().error('a stream record failed and goes to the retry queue', { error });
    return false;
  }
}

/** Returns the partition key of the item, which is the account for meters. */
function groupOf(record: DynamoDBRecord | undefined): string | undefined {
  const [key] = Object.values(record?.dynamodb?.Keys ?? {});
  return key?.N ?? key?.S;
}

function responseFor(record: DynamoDBRecord | undefined): DynamoDBBatchResponse {
  return { batchItemFailures: record ? [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] : [] };
}

/** Queues the events of changed items for the webhooks of their accounts. */
export const webhookEventsJob = () =>
  changeStreamJob(
    async (changes) => (await services().webhooks()).dispatchEvents(changes),
    () => services().webhookQueue(),
  );
