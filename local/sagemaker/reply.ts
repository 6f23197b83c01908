import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { sendJson } from '../shared/loopback.ts';
import { boundedChunks, type EngineReply, maxReplyBytes, single } from './engine.ts';

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
  if (!body) return sendServiceError(res, modelError(call.endpoint, 500, 'The reply of the container ended early.'));
  res.setHeader('content-type', contentType);
  res.end(body);
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const all: Uint8Array[] = [];
  try {
    for await (const chunk of boundedChunks(chunks, maxReplyBytes.text)) all.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(all);
}

export interface StreamOptions {
  readonly res: ServerResponse;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  /** Number of chunks after which the stream breaks in the middle of a frame. */
  readonly cutAfterChunks?: number;
}

/** Sends every chunk immediately, split into several frames, with backpressure. */
async function sendStream({ res, chunks, signal, cutAfterChunks }: StreamOptions): Promise<void> {
  res.flushHeaders();
  let turn = 0;
  try {
    for await (const chunk of chunks) {
      if (turn === cutAfterChunks) break;
      await write(res, Buffer.concat(splitAdversarially(chunk, turn).map(payloadPart)), signal);
      turn += 1;
    }
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    res.end(modelStreamError(`The model's stream broke: ${message}`));
    return;
  }
  if (cutAfterChunks === undefined) res.end();
  else cutInsideFrame(res);
}

async function write(res: ServerResponse, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!res.write(bytes)) await once(res, 'drain', { signal });
}

function cutInsideFrame(res: ServerResponse): void {
  const frame = payloadPart(Buffer.from('data: {"choices":[{"delta":{"content":"never whole'));
  res.write(frame.subarray(0, frame.length / 2), () => res.destroy());
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

/** A message of AWS's event stream encoding. */
export const eventFrame = (headers: Readonly<Record<string, string>>, body: Uint8Array): Uint8Array =>
  codec.encode({
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]),
    ),
    body,
  });

export const payloadPart = (bytes: Uint8Array): Uint8Array =>
  eventFrame(
    { ':message-type': 'event', ':event-type': 'PayloadPart', ':content-type': 'application/octet-stream' },
    bytes,
  );

/** The frame that ends a failed stream. Clients throw it from the iterator. */
export const modelStreamError = (message: string): Uint8Array =>
  eventFrame(
    {
      ':message-type': 'exception',
      ':exception-type': 'ModelStreamError',
      ':content-type': 'application/json',
    },
    Buffer.from(JSON.stringify({ Message: message, ErrorCode: 'StreamBroken' })),
  );

/**
 * Splits bytes at positions that break careless parsers: inside `data:`, a JSON string or a UTF-8 sequence, and between
 * the two newlines that end an event. Deterministic for the same bytes and turn. Returns at most five parts, none
 * empty.
 */
export function splitAdversarially(bytes: Uint8Array, turn: number): Uint8Array[] {
  const at = [1 + (turn % 4), insideString(bytes), insideCharacter(bytes), bytes.length - 1];
  const cuts = [...new Set(at)].filter((cut) => cut > 0 && cut < bytes.length).toSorted((a, b) => a - b);
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index])).filter((part) => part.length > 0);
}

/** Position after the opening quote of the last string value, which contains the model's text. */
function insideString(bytes: Uint8Array): number {
  const opened = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf('":"');
  return opened < 0 ? Math.floor(bytes.length / 2) : opened + 3;
}

/** Position of the first UTF-8 continuation byte. -1 for ASCII. */
function insideCharacter(bytes: Uint8Array): number {
  return bytes.findIndex((byte) => byte >= 0x80 && byte < 0xc0);
}

/** An error of SageMaker itself, sent before any byte of the model (SageMaker runtime API, "Errors"). */
export interface ServiceError {
  readonly status: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const plain =
  (status: number, type: string) =>
  (Message: string): ServiceError => ({ status, type, body: { Message } });

export const validationError = plain(400, 'ValidationError');
export const internalFailure = plain(500, 'InternalFailure');
export const unknownOperation = plain(404, 'UnknownOperationException');

export const throttling: ServiceError = plain(400, 'ThrottlingException')('Rate exceeded');
export const serviceUnavailable: ServiceError = plain(
  503,
  'ServiceUnavailable',
)('The service is unavailable. Try again.');

function modelError(endpoint: string, status: number, containerBody: unknown): ServiceError {
  const text = typeof containerBody === 'string' ? containerBody : JSON.stringify(containerBody);
  const side = status < 500 ? 'client' : 'server';
  return {
    status: 424,
    type: 'ModelError',
    body: {
      ErrorCode: status < 500 ? 'CLIENT_ERROR_FROM_MODEL' : 'SERVER_ERROR_FROM_MODEL',
      LogStreamArn: `arn:aws:logs:us-east-1:000000000000:log-group:/aws/sagemaker/Endpoints/${endpoint}`,
      Message: `Received ${side} error (${status}) from primary with message "${text}".`,
      OriginalMessage: text,
      OriginalStatusCode: status,
    },
  };
}

export function sendServiceError(res: ServerResponse, { status, type, body }: ServiceError): void {
  sendJson(res, status, body, { 'x-amzn-requestid': randomUUID(), 'x-amzn-errortype': type });
}
