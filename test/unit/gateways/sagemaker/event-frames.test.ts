import { EventStreamCodec } from '@smithy/core/event-streams';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader } from '#gateways/sagemaker/event-frames.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

function read(...pieces: Buffer[]) {
  const reader = new FrameReader();
  const frames = pieces.flatMap((piece) => [...reader.push(piece)]);
  reader.end();
  return frames;
}

/** Bytes in chunks that end at the given shares. */
function cut(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const ends = [...shares.map((share) => Math.round(share * bytes.length)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const message = fc.record({
  headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), fc.string({ maxLength: 20 }), { maxKeys: 4 }),
  body: fc.uint8Array({ maxLength: 400 }),
});

const encoded = ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => {
  const named = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(named), body }));
};

describe('the messages of an event stream', () => {
  it("equal those of the SDK's codec wherever the bytes are cut", () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    const property = fc.property(fc.array(message, { maxLength: 5 }), shares, (messages, at) => {
      const sent = messages.map(encoded);
      const frames = read(...cut(Buffer.concat(sent), at));
      expect(frames.map(({ bytes }) => bytes)).toEqual(sent);
      expect(frames.map(({ body }) => Buffer.from(body))).toEqual(messages.map(({ body }) => Buffer.from(body)));
    });
    fc.assert(property);
  });

  it('are refused if any byte has changed, as by the codec', () => {
    const sent = encoded({ headers: { ':message-type': 'event' }, body: Buffer.from('some words') });
    for (let at = 0; at < sent.length; at += 1) {
      const damaged = Buffer.from(sent);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
      expect(() => codec.decode(damaged)).toThrow(/checksum|length/i);
      expect(() => read(damaged)).toThrow('a message');
    }
  });

  it('are refused if the stream ends inside one', () => {
    const sent = encoded({ headers: { a: 'b' }, body: Buffer.from('some words') });
    for (let length = 1; length < sent.length; length += 1)
      expect(() => read(sent, sent.subarray(0, length))).toThrow('the stream ends within a message');
  });
});
