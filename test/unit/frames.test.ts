import { EventStreamCodec } from '@smithy/core/event-streams';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { framesOf } from '#runtime/quick/frames.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

async function* each(pieces: readonly Buffer[]) {
  yield* pieces;
}

const read = (...pieces: Buffer[]) => Array.fromAsync(framesOf(each(pieces)));

/** Bytes in pieces that end at these shares of them. */
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
  it("are those of the SDK's codec, wherever the bytes are cut", async () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 5 }), shares, async (messages, at) => {
        const sent = messages.map(encoded);
        const frames = await read(...cut(Buffer.concat(sent), at));
        expect(frames.map(({ bytes }) => bytes)).toEqual(sent);
        expect(frames.map(({ body }) => Buffer.from(body))).toEqual(messages.map(({ body }) => Buffer.from(body)));
        for (const { bytes, headers, body } of frames) expect(bytes.length).toBe(12 + headers.length + body.length + 4);
      }),
    );
  });

  it('are refused when any byte of one is changed, as the codec refuses it', async () => {
    const sent = encoded({ headers: { ':message-type': 'event' }, body: Buffer.from('some words') });
    for (let at = 0; at < sent.length; at += 1) {
      const damaged = Buffer.from(sent);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
      expect(() => codec.decode(damaged)).toThrow(/checksum|length/i);
      await expect(read(damaged)).rejects.toThrow('a message');
    }
  });

  it('are refused when the stream ends within one', async () => {
    const sent = encoded({ headers: { a: 'b' }, body: Buffer.from('some words') });
    for (let length = 1; length < sent.length; length += 1)
      await expect(read(sent, sent.subarray(0, length))).rejects.toThrow('the stream ends within a message');
  });
});
