import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  type SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import * as v from 'valibot';
import { ModelChatReply } from '#domain/chat.ts';
import { ModelCompletionReply } from '#domain/completion.ts';
import { ModelEmbeddings } from '#domain/embeddings.ts';
import type { ModelGateway } from '#domain/inference.ts';
import { ModelChunk } from '#domain/model-stream.ts';
import { ServiceError } from '#domain/service-error.ts';
import { serviceErrorOf } from './errors.ts';
import { modelEvents } from './model-events.ts';

/** Where each model runs, and how long one may keep silent: until its reply, or between the parts of a stream. */
export interface ModelGatewaySettings {
  readonly endpointOf: (model: string) => string;
  readonly deadlineMs: number;
}

/** A reply of a container; `error` appears where it failed after it had begun. */
const StreamError = v.object({ error: v.unknown() });

/** Containers that speak OpenAI bodies on /invocations (vLLM), through the SageMaker runtime. */
export function sagemakerGateway(client: SageMakerRuntimeClient, settings: ModelGatewaySettings): ModelGateway {
  const invocation = (model: string, body: unknown) => ({
    EndpointName: settings.endpointOf(model),
    ContentType: 'application/json',
    Accept: 'application/json',
    Body: JSON.stringify(body),
  });

  async function reply<S extends v.GenericSchema>(schema: S, model: string, body: unknown, signal?: AbortSignal) {
    const deadline = AbortSignal.timeout(settings.deadlineMs);
    const abortSignal = signal ? AbortSignal.any([deadline, signal]) : deadline;
    try {
      const { Body } = await client.send(new InvokeEndpointCommand(invocation(model, body)), { abortSignal });
      return v.parse(schema, JSON.parse(new TextDecoder().decode(Body)));
    } catch (error) {
      throw serviceErrorOf(error, model);
    }
  }

  /** The chunks of a stream; each wait for the next is limited. Success needs a finish reason or `[DONE]`. */
  async function* stream(model: string, body: object, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), settings.deadlineMs);
    let isFinished = false;
    try {
      const events = modelEvents(
        parts(
          model,
          { ...body, stream: true, stream_options: { include_usage: true } },
          AbortSignal.any([signal, silence.signal]),
        ),
      );
      for (let next = await events.next(); ; next = await events.next()) {
        timer.refresh();
        if (next.done) {
          if (!isFinished && !next.value.done)
            throw new ServiceError('MODEL_ERROR', `The model ${model} stopped before it was done.`);
          return;
        }
        if (v.is(StreamError, next.value))
          throw new ServiceError('MODEL_ERROR', `The model ${model} failed.`, { cause: next.value.error });
        const chunk = v.parse(ModelChunk, next.value);
        isFinished ||= chunk.choices.some(({ finish_reason }) => typeof finish_reason === 'string');
        yield chunk;
      }
    } catch (error) {
      throw serviceErrorOf(error, model);
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  async function* parts(model: string, body: unknown, abortSignal: AbortSignal): AsyncGenerator<Uint8Array> {
    const command = new InvokeEndpointWithResponseStreamCommand(invocation(model, body));
    const { Body = [] } = await client.send(command, { abortSignal });
    for await (const event of Body) if (event.PayloadPart?.Bytes) yield event.PayloadPart.Bytes;
  }

  return {
    chat: (model, request, signal) => reply(ModelChatReply, model, request, signal),
    complete: (model, request) => reply(ModelCompletionReply, model, request),
    embed: (model, request) => reply(ModelEmbeddings, model, request),
    stream,
  };
}
