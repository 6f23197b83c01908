import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';

/** The attribute `n` of a record's new image. */
export const numberOf = (record: DynamoDBRecord): number => Number(record.dynamodb!.NewImage!['n']!.N);

/** A stream function that records its input. */
export function recorder() {
  const seen: number[] = [];
  const batches: DynamoDBRecord[][] = [];
  const deliver = ({ Records }: DynamoDBStreamEvent) => {
    batches.push(Records);
    seen.push(...Records.map(numberOf));
    return { batchItemFailures: [] };
  };
  return { seen, batches, deliver };
}
