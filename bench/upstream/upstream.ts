import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { listen, listener } from '#local/loopback.ts';
import { payloadPart } from '#local/sagemaker/event-frames.ts';
import { chunkGapMs, events, reply } from './model-replies.ts';
import { answerUpdate } from './stub-meter.ts';

/**
 * Everything that a gateway finds behind it, in one process: the model as an OpenAI-compatible server, the same model as
 * SageMaker's runtime, and DynamoDB as a stub, each speaking its real wire protocol. `upstream.ts <port>`.
 */
const frames = events.map((event) => Buffer.from(payloadPart(event)));

const serve = listener(async (request, response) => {
  const { url = '' } = request;
  const body = await buffer(request);
  if (request.headers['x-amz-target']) return sendItem(request, response, body.toString());
  if (url.endsWith('/chat/completions')) return sendModel(response, body.includes('"stream":true'), openAiStream);
  if (url.endsWith('/invocations')) return sendModel(response, false, sageMakerStream);
  if (url.endsWith('/invocations-response-stream')) return sendModel(response, true, sageMakerStream);
  response.writeHead(404).end();
});

interface Stream {
  readonly type: string;
  readonly parts: readonly Buffer[];
}

const openAiStream: Stream = { type: 'text/event-stream', parts: events };
const sageMakerStream: Stream = { type: 'application/vnd.amazon.eventstream', parts: frames };

async function sendModel(response: ServerResponse, isStream: boolean, { type, parts }: Stream): Promise<void> {
  if (!isStream) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length }).end(reply);
    return;
  }
  response.writeHead(200, { 'content-type': type });
  for (const [index, part] of parts.entries()) {
    if (index > 0 && index < parts.length - 1) await sleep(chunkGapMs);
    if (!response.write(part)) await once(response, 'drain');
  }
  response.end();
}

function sendItem(request: IncomingMessage, response: ServerResponse, text: string): void {
  if (!String(request.headers['x-amz-target']).endsWith('.UpdateItem')) {
    response.writeHead(400).end();
    return;
  }
  const answer = Buffer.from(answerUpdate(text));
  response.writeHead(200, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': answer.length,
    'x-amzn-requestid': 'BENCH',
    'x-amz-crc32': crc32(answer),
  });
  response.end(answer);
}

await listen(serve, Number(process.argv[2]));
