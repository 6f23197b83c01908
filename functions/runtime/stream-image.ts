import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';

export type HandleImage = (image: Record<string, unknown>) => Promise<void>;

/** Parses an image in DynamoDB JSON from a stream event or a queue message. Throws for invalid input. */
export function itemOf(image: unknown): Record<string, unknown> {
  return unmarshall(typedImage(image));
}

function typedImage(image: unknown): Record<string, AttributeValue> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- `unmarshall` throws for anything else
  return image as Record<string, AttributeValue>;
}

/** A change of an item. `id` is the record's and stays the same on redelivery; `before` is undefined for a new item. */
export interface ItemChange {
  readonly id: string;
  readonly before: Record<string, unknown> | undefined;
  readonly after: Record<string, unknown>;
}

const StoredChange = v.object({ id: v.string(), before: v.optional(v.unknown()), after: v.unknown() });
type StoredChange = v.InferOutput<typeof StoredChange>;

/** Returns undefined for a deletion. */
export function storedChange({
  dynamodb: { SequenceNumber: id = '', OldImage: before, NewImage: after } = {},
}: DynamoDBRecord) {
  return after && { id, ...(before && { before }), after };
}

export function changeOf({ id, before, after }: StoredChange): ItemChange {
  return { id, before: before === undefined ? undefined : itemOf(before), after: itemOf(after) };
}

export function changeIn(message: unknown): ItemChange | undefined {
  const { success, output } = v.safeParse(v.object({ change: StoredChange }), message);
  return success ? changeOf(output.change) : undefined;
}
