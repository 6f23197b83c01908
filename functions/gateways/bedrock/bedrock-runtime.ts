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
import { bedrockRegion } from '#contract/offer/bedrock.ts';
import { type BedrockEndpoint, bedrockEmbeddings } from '#contract/offer/offer.ts';
import type { Deadline, Invocation, ModelRuntime } from '../sagemaker/runtime.ts';
import { chatChunks, chatReply, converseInput } from './converse.ts';
import { runtimeError } from './errors.ts';
import { boundedFrames } from './frames.ts';

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

/** HTTP/1.1: one connection per call, which a cancelled call closes. The default handler shares one of HTTP/2. */
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
