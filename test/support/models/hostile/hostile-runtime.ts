import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { payloadPart } from '#local/sagemaker/reply.ts';
import { type Loopback, listen } from '#local/shared/loopback.ts';

/** Misbehavior of a model on the wire, after it has received the whole request. */
export type Misdeed = (res: ServerResponse) => unknown;

/** A SageMaker runtime or other server with a scripted response to every request. */
export async function startHostileRuntime(): Promise<
  Loopback & { becomes(misdeed: Misdeed): void; requests(): number }
> {
  let misdeed: Misdeed = (res) => res.destroy();
  let requests = 0;
  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    requests += 1;
    await once(req.resume(), 'end');
    res.on('error', () => undefined);
    await misdeed(res);
  }
  const server = await listen((req, res) => void respond(req, res));
  return { ...server, becomes: (next) => void (misdeed = next), requests: () => requests };
}

/** Repeats the same bytes as fast as they are read, until the client disconnects. */
export async function flood(res: Writable, bytes: string | Uint8Array): Promise<void> {
  const gone = Promise.withResolvers<void>();
  res.once('close', gone.resolve);
  while (!res.destroyed) {
    if (res.write(bytes)) await new Promise(setImmediate);
    else await Promise.race([once(res, 'drain'), gone.promise]);
  }
}

/** A stream with this start that repeats the same part endlessly. */
export const streamFlood =
  (part: string, first = ''): Misdeed =>
  (res) => {
    res.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    if (first) res.write(payloadPart(Buffer.from(first)));
    const frame = payloadPart(Buffer.from(part));
    return flood(res, Buffer.concat(Array.from({ length: Math.ceil(16_384 / frame.length) }, () => frame)));
  };

export const streamOf =
  (...parts: readonly (string | Uint8Array)[]): Misdeed =>
  (res) => {
    res.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    res.end(Buffer.concat(parts.map((part) => payloadPart(Buffer.from(part)))));
  };
