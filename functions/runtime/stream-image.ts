import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';

/** What a job does with an item as it stands after a change. */
export type HandleImage = (image: Record<string, unknown>) => Promise<void>;

/** The item of an image in DynamoDB JSON, as a stream's event and a queue's message have it. Throws for anything else. */
export function itemOf(image: unknown): Record<string, unknown> {
  return unmarshall(typedImage(image));
}

/** The event's types and the SDK's describe the same JSON in two ways. */
function typedImage(image: unknown): Record<string, AttributeValue> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- see above
  return image as Record<string, AttributeValue>;
}

/** A change of an item. `id` is the record's, which comes again with it; `before` is undefined of an item that is new. */
export interface ItemChange {
  readonly id: string;
  readonly before: Record<string, unknown> | undefined;
  readonly after: Record<string, unknown>;
}

/** A change as a message has it: images in DynamoDB JSON. */
const StoredChange = v.object({ id: v.string(), before: v.optional(v.unknown()), after: v.unknown() });
type StoredChange = v.InferOutput<typeof StoredChange>;

/** Undefined of a record that leaves no item. */
export function storedChange({
  dynamodb: { SequenceNumber: id = '', OldImage: before, NewImage: after } = {},
}: DynamoDBRecord) {
  return after && { id, ...(before && { before }), after };
}

export function changeOf({ id, before, after }: StoredChange): ItemChange {
  return { id, before: before === undefined ? undefined : itemOf(before), after: itemOf(after) };
}

/** The change of a message; undefined of any other message. */
export function changeIn(message: unknown): ItemChange | undefined {
  const { success, output } = v.safeParse(v.object({ change: StoredChange }), message);
  return success ? changeOf(output.change) : undefined;
}
