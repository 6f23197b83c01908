/** Images of lanes in the stream (lane-item.ts). Separate from their schema, which few jobs load. */

/** Whether the image is a lane. Only lanes have the attribute `ac`. */
export const isLane = (image: Readonly<Record<string, unknown>>): boolean => image['ac'] !== undefined;

/** The account of a lane. `image`: DynamoDB JSON. Undefined for the item of an account. */
export const accountOfLane = (image: Readonly<Record<string, { readonly N?: string }>> | undefined) => image?.['ac']?.N;
