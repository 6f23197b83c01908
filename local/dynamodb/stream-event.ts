import type { _Record as ClientRecord, AttributeValue as ClientValue } from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';

/** A stream record as Lambda hands it to a function: DynamoDB JSON, so binary values in base64 and time in seconds. */
export function eventRecord(record: ClientRecord, streamArn: string): DynamoDBRecord {
  const {
    Keys,
    OldImage,
    NewImage,
    SequenceNumber,
    StreamViewType,
    SizeBytes,
    ApproximateCreationDateTime: at,
  } = record.dynamodb ?? {};
  return {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    eventSourceARN: streamArn,
    awsRegion: record.awsRegion,
    dynamodb: {
      Keys: Keys && eventItem(Keys),
      OldImage: OldImage && eventItem(OldImage),
      NewImage: NewImage && eventItem(NewImage),
      SequenceNumber,
      SizeBytes,
      StreamViewType,
      ApproximateCreationDateTime: at && at.getTime() / 1000,
    },
  };
}

function eventItem(item: Record<string, ClientValue>): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, eventValue(value)]));
}

function eventValue(value: ClientValue): AttributeValue {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.M) return { M: eventItem(value.M) };
  if (value.L) return { L: value.L.map(eventValue) };
  if (value.B) return { B: base64(value.B) };
  if (value.SS) return { SS: value.SS };
  if (value.NS) return { NS: value.NS };
  if (value.BS) return { BS: value.BS.map(base64) };
  return { NULL: true };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
