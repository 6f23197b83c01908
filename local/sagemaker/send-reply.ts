import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { boundedChunks, maxReplyBytes } from './bounded-chunks.ts';
import type { EngineReply } from './engine.ts';
import { modelError, sendServiceError } from './service-errors.ts';
import { sendStream } from './stream-reply.ts';

/** A call of the runtime: whether its response is a stream of frames, and of which endpoint. */
export interface Call {
  readonly endpoint: string;
  readonly stream: boolean;
}

export interface Reply {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly call: Call;
  readonly reply: EngineReply;
  readonly signal: AbortSignal;
  readonly cutAfterChunks?: number;
}

/** Passes on the container's response, in the form that the call requests. */
export async function sendReply({ req, res, call, reply, signal, cutAfterChunks }: Reply): Promise<void> {
  if (reply.kind === 'json' && reply.status >= 400) {
    return sendServiceError(res, modelError(call.endpoint, reply.status, reply.body));
  }
  const contentType = reply.kind === 'json' ? 'application/json' : reply.contentType;
  const chunks = reply.kind === 'json' ? single(Buffer.from(JSON.stringify(reply.body))) : reply.chunks;
  const attributes = req.headers['x-amzn-sagemaker-custom-attributes'];
  res.setHeader('x-amzn-requestid', randomUUID());
  res.setHeader('x-amzn-invoked-production-variant', 'AllTraffic');
  if (attributes !== undefined) res.setHeader('x-amzn-sagemaker-custom-attributes', attributes);
  if (call.stream) {
    res.setHeader('content-type', 'application/vnd.amazon.eventstream');
    res.setHeader('x-amzn-sagemaker-content-type', contentType);
    return sendStream({ res, chunks, signal, ...(cutAfterChunks !== undefined && { cutAfterChunks }) });
  }
  const body = await collect(chunks);
  if (!body) return sendServiceError(res, modelError(call.endpoint, 500, 'The container broke off its reply.'));
  res.setHeader('content-type', contentType);
  res.end(body);
}

/** Undefined when the engine breaks off, or does not end. */
async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const all: Uint8Array[] = [];
  try {
    for await (const chunk of boundedChunks(chunks, maxReplyBytes.text)) all.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(all);
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
