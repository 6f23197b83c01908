/** Images of lanes in the stream (lane-item.ts). Separate from their schema, so that a job loads it only to read one. */

/** Whether an image is a lane's, which names its account. */
export const isLane = (image: Readonly<Record<string, unknown>>): boolean => image['ac'] !== undefined;

/** The account of a lane. `image`: DynamoDB JSON. Undefined for the item of an account. */
export const accountOfLane = (image: Readonly<Record<string, { readonly N?: string }>> | undefined) => image?.['ac']?.N;
