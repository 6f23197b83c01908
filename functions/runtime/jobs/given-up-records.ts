import * as v from 'valibot';

const StreamEvent = v.object({
  Records: v.array(v.object({ dynamodb: v.object({ NewImage: v.optional(v.record(v.string(), v.unknown())) }) })),
});

/** What Lambda writes of a batch that it gives up: the event as JSON text in `payload`, beside metadata. */
const InvocationRecord = v.object({
  payload: v.union([v.pipe(v.string(), v.parseJson(), StreamEvent), StreamEvent]),
});

/**
 * The images, in DynamoDB JSON and in the stream's order, of an object that Lambda wrote to an on-failure destination in S3
 * (AWS "Retain discarded records for a DynamoDB event source in Lambda"). Throws a ValiError for any other text.
 */
export function givenUpImages(text: string): readonly Record<string, unknown>[] {
  const { payload } = v.parse(v.pipe(v.string(), v.parseJson(), InvocationRecord), text);
  return payload.Records.flatMap(({ dynamodb: { NewImage } }) => (NewImage ? [NewImage] : []));
}
