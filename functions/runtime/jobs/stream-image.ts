import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

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
