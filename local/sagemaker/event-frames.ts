import { EventStreamCodec } from '@smithy/core/event-streams';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

const header = (value: string) => ({ type: 'string' as const, value });

/** A frame of the model's own bytes. */
export function payloadPart(bytes: Uint8Array): Uint8Array {
  const headers = {
    ':message-type': header('event'),
    ':event-type': header('PayloadPart'),
    ':content-type': header('application/octet-stream'),
  };
  return codec.encode({ headers, body: bytes });
}

/** The frame that ends a stream whose model failed; clients throw it from the iterator. */
export function modelStreamError(message: string): Uint8Array {
  const headers = {
    ':message-type': header('exception'),
    ':exception-type': header('ModelStreamError'),
    ':content-type': header('application/json'),
  };
  return codec.encode({ headers, body: Buffer.from(JSON.stringify({ Message: message, ErrorCode: 'StreamBroken' })) });
}

/**
 * Cuts the bytes where a careless reader breaks: inside `data:`, inside a JSON string, inside a UTF-8 sequence and
 * between the two newlines that end an event. The same bytes and turn give the same parts, at most five; none is empty.
 */
export function splitAwkwardly(bytes: Uint8Array, turn: number): Uint8Array[] {
  const at = [1 + (turn % 4), insideString(bytes), insideCharacter(bytes), bytes.length - 1];
  const cuts = [...new Set(at)].filter((cut) => cut > 0 && cut < bytes.length).toSorted((a, b) => a - b);
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index])).filter((part) => part.length > 0);
}

/** Behind the quote that opens the last string value, which is where a chunk has the model's text. */
function insideString(bytes: Uint8Array): number {
  const opened = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf('":"');
  return opened < 0 ? Math.floor(bytes.length / 2) : opened + 3;
}

/** Before the first byte that continues a UTF-8 sequence; -1 when all is ASCII. */
function insideCharacter(bytes: Uint8Array): number {
  return bytes.findIndex((byte) => byte >= 0x80 && byte < 0xc0);
}
