import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';

export const numberOf = (record: DynamoDBRecord): number => Number(record.dynamodb!.NewImage!['n']!.N);

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
