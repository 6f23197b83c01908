import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import * as v from 'valibot';
import { BodyTooLarge, collectBody } from '#aws/bounded-body.ts';
import { connectionTimeout } from '#aws/timeouts.ts';
import { bedrockEmbeddings, type BedrockEndpoint, bedrockRegion } from '#contract/offer/offer.ts';
import type { Deadline } from '../sagemaker/deadline.ts';
import { busy, misconfigured, modelError } from '../sagemaker/errors.ts';
import type { Invocation, ModelRuntime } from '../sagemaker/runtime.ts';
import { chatChunks, chatReply, converseInput } from './converse.ts';

/** Limit for a whole reply. Each call has a lower one, checked at the end. */
const maxReplyBytes = 16 * 1024 * 1024;

/** Concurrent requests of one call: a Titan request has one text. */
const concurrentTexts = 8;

const EmbeddingsBody = v.object({ input: v.array(v.string()), dimensions: v.optional(v.number()) });
const TitanReply = v.object({ embedding: v.array(v.number()), inputTextTokenCount: v.optional(v.number()) });

/**
 * Models of Amazon Bedrock by its official client, in OpenAI's format for the gateway. Throws the errors of SageMaker's
 * runtime. One attempt, because a retry would repeat the model's work.
 */
export function bedrockRuntime(): ModelRuntime<BedrockEndpoint> {
  const clients = new Map<string, BedrockRuntimeClient>();

  function clientOf(endpoint: BedrockEndpoint): BedrockRuntimeClient {
    const region = bedrockRegion(endpoint);
    const known = clients.get(region ?? '') ?? newClient(region);
    clients.set(region ?? '', known);
    return known;
  }

  async function chat({ place, body, maxBytes }: Invocation<BedrockEndpoint>, deadline: Deadline): Promise<unknown> {
    const command = new ConverseCommand(converseInput(body, place.model));
    const reply = chatReply(await clientOf(place).send(command, { abortSignal: deadline.signal }));
    if (JSON.stringify(reply).length > maxBytes) throw new BodyTooLarge(maxBytes);
    return reply;
  }

  async function embeddings({ place, body }: Invocation<BedrockEndpoint>, deadline: Deadline): Promise<unknown> {
    const { input, dimensions } = v.parse(EmbeddingsBody, body);
    const data: { index: number; embedding: number[] }[] = [];
    let tokens = 0;
    const rest = input.entries();
    async function work(): Promise<void> {
      for (const [index, inputText] of rest) {
        const command = new InvokeModelCommand({
          modelId: place.model,
          contentType: 'application/json',
          body: JSON.stringify({ inputText, ...(dimensions !== undefined && { dimensions }) }),
        });
        const reply = await clientOf(place).send(command, { abortSignal: deadline.signal });
        const parsed = v.parse(TitanReply, JSON.parse(new TextDecoder().decode(reply.body)));
        data.push({ index, embedding: parsed.embedding });
        tokens += parsed.inputTextTokenCount ?? Number.NaN;
      }
    }
    await Promise.all(Array.from({ length: concurrentTexts }, work));
    return { data, ...(Number.isFinite(tokens) && { usage: { prompt_tokens: tokens } }) };
  }

  return {
    reply: (invocation) => async (deadline) => {
      const send = bedrockEmbeddings.test(invocation.place.model) ? embeddings : chat;
      return send(invocation, deadline).catch((error: unknown) => {
        throw runtimeError(error);
      });
    },
    parts: ({ place, body }) =>
      async function* (deadline) {
        try {
          const command = new ConverseStreamCommand(converseInput(body, place.model));
          const { stream = [] } = await clientOf(place).send(command, { abortSignal: deadline.signal });
          const chunkOf = chatChunks();
          for await (const event of stream) {
            const chunk = chunkOf(event);
            if (chunk) yield Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
          }
        } catch (error) {
          throw runtimeError(error);
        }
      },
  };
}

const sockets = { keepAlive: true, maxSockets: 1000 };

/**
 * HTTP/1.1: one connection per call, which a cancelled call closes. The default handler shares one HTTP/2 connection.
 */
function newClient(region: string | undefined): BedrockRuntimeClient {
  const client = new BedrockRuntimeClient({
    ...(region !== undefined && { region }),
    maxAttempts: 1,
    streamCollector: (body: AsyncIterable<Uint8Array>) => collectBody(body, maxReplyBytes),
    requestHandler: new NodeHttpHandler({
      connectionTimeout,
      httpAgent: new http.Agent(sockets),
      httpsAgent: new https.Agent(sockets),
    }),
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { response } = result;
      if (isStream(response)) response.body = Readable.from(boundedFrames(response.body));
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'boundedFrames' },
  );
  return client;
}

interface StreamedResponse {
  readonly headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
}

const isStream = (response: unknown): response is StreamedResponse =>
  v.is(v.object({ headers: v.object({ 'content-type': v.literal('application/vnd.amazon.eventstream') }) }), response);

/** Messages of ValidationException about the deployer's choice of a model, not about the caller's request. */
const wrongModel =
  /model identifier|on-demand throughput|inference profile|end of its life|not authorized|access to the model/i;

/** Converts an error of Bedrock's client to one of SageMaker's runtime (Bedrock "Troubleshooting API errors"). */
function runtimeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  switch (error.name) {
    case 'ValidationException':
      return wrongModel.test(message) ? misconfigured('invalid model', error) : modelError(400, message);
    case 'AccessDeniedException':
    case 'ResourceNotFoundException':
    case 'UnrecognizedClientException':
      return misconfigured('no access to the model', error);
    case 'ThrottlingException':
    case 'ModelNotReadyException':
    case 'ServiceQuotaExceededException':
    case 'ServiceUnavailableException':
      return busy(error);
    case 'ModelErrorException':
    case 'ModelStreamErrorException':
      return modelError(statusOf(error), message);
    case 'InternalServerException':
      return modelError(500, message);
    default:
      return error;
  }
}

/** Returns the model's status, which may be a 4xx for an error of the caller. Default: 500. */
function statusOf(error: Error): number {
  const status = 'originalStatusCode' in error ? Number(error.originalStatusCode) : Number.NaN;
  return status >= 400 && status < 600 ? status : 500;
}

/** Maximum bytes of a message, which contains a piece of output or an error. */
const maxMessageBytes = 1024 * 1024;
/** Bytes of a message without headers and payload (AWS "Event stream encoding"). */
const minMessageBytes = 16;

/** Forwards a stream of messages. Throws SyntaxError for an invalid length, which the SDK would allocate. */
async function* boundedFrames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let prefix: number[] = [];
  /** Bytes until the next message. */
  let left = 0;
  for await (const piece of pieces) {
    let at = 0;
    /** End of the messages and beginnings of messages that are valid. */
    let valid = 0;
    while (at < piece.length) {
      const skipped = Math.min(left, piece.length - at);
      at += skipped;
      left -= skipped;
      if (left > 0) break;
      valid = at;
      for (; at < piece.length && prefix.length < 4; at += 1) prefix.push(piece[at] ?? 0);
      if (prefix.length < 4) break;
      const length = Buffer.from(prefix).readUInt32BE(0);
      if (length < minMessageBytes || length > maxMessageBytes) {
        yield piece.subarray(0, valid);
        throw new SyntaxError('a message has an impossible length');
      }
      left = length - 4;
      prefix = [];
    }
    yield piece;
  }
}
