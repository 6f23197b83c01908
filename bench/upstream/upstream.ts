import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { payloadPart } from '#local/sagemaker/event-frames.ts';
import { chunkGapMs, events, wholeReply } from './model-replies.ts';
import { beginChunks, chunkOf, type HttpRequest, sendWhole, serveRequests } from './post-server.ts';
import { getItemOutput, updateItemOutput } from './stub-meter.ts';

/**
 * Everything that a gateway finds behind it, in one process: the model as an OpenAI-compatible server, the same model as
 * SageMaker's runtime, and DynamoDB as a stub, each over its real protocol. `upstream.ts <port>`.
 */
const frames = events.map((event) => Buffer.from(payloadPart(event)));

function serve({ target, head, body }: HttpRequest, socket: Socket): void {
  if (target === '/') sendItem(head, body, socket);
  else if (target.endsWith('/invocations-response-stream')) void sendStream(socket, sageMakerStream);
  else if (!body.includes('"stream":true')) sendWhole(socket, 'application/json', wholeReply(body));
  else void sendStream(socket, openAiStream);
}

interface Stream {
  readonly type: string;
  readonly chunks: readonly Buffer[];
}

const openAiStream: Stream = { type: 'text/event-stream', chunks: events.map(chunkOf) };
const sageMakerStream: Stream = { type: 'application/vnd.amazon.eventstream', chunks: frames.map(chunkOf) };

async function sendStream(socket: Socket, { type, chunks }: Stream): Promise<void> {
  socket.cork();
  beginChunks(socket, type);
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0 && index < chunks.length - 1) await sleep(chunkGapMs);
    const hasRoom = socket.write(chunk);
    if (index === 0) socket.uncork();
    if (!hasRoom) await once(socket, 'drain');
  }
  socket.write(chunkOf());
}

function sendItem(head: string, body: string, socket: Socket): void {
  const operation = /DynamoDB_20120810\.(\w+)/.exec(head)?.[1] ?? '';
  const output = outputs[operation]?.(body);
  if (output === undefined) throw new Error(`the stub does not know ${operation}`);
  const headers = `x-amzn-requestid: BENCH\r\nx-amz-crc32: ${crc32(output)}\r\n`;
  sendWhole(socket, 'application/x-amz-json-1.0', output, headers);
}

const outputs: Readonly<Record<string, (body: string) => string>> = {
  UpdateItem: updateItemOutput,
  GetItem: getItemOutput,
};

serveRequests(Number(process.argv[2]), serve);
