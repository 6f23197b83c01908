import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  type SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import { EventStreamCodec, getChunkedStream } from '@smithy/core/event-streams';
import { HttpResponse } from '@smithy/core/protocols';
import { commandInput, type Invocation, type ModelRuntime } from '#gateways/sagemaker/runtime.ts';
import { withFirstOutcome } from './first-outcome.ts';
import { bodyOf } from './read-body.ts';
import { type Outcome, type Post, signedTransport } from './signed-transport.ts';

const decoder = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => decoder.decode(bytes),
  (text) => Buffer.from(text),
);

/**
 * Invocations that go past the SDK's middleware. Only an answer of 200 and frames with the model's bytes are taken as they
 * are; everything else is handed to the SDK as what its one attempt came to, and is the error that the SDK makes of it.
 */
export function quickInvocations(client: SageMakerRuntimeClient): ModelRuntime {
  const endpoint = async () =>
    (await getEndpointFromInstructions({ EndpointName: '' }, InvokeEndpointCommand, client.config)).url;
  const send = signedTransport(client.config, endpoint);

  async function reply(invocation: Invocation, abortSignal: AbortSignal): Promise<unknown> {
    const outcome = await send(post(invocation, 'invocations'), { abortSignal });
    const told = outcome && (await bodyOf(outcome));
    if (told && 'body' in told) return parsed(told.body);
    const command = withFirstOutcome(new InvokeEndpointCommand(commandInput(invocation)), told);
    const { Body } = await client.send(command, { abortSignal });
    return parsed(Body);
  }

  async function* parts(invocation: Invocation, abortSignal: AbortSignal): AsyncGenerator<Uint8Array> {
    const outcome = await send(post(invocation, 'invocations-response-stream'), { abortSignal });
    if (!outcome || !isOk(outcome)) {
      yield* slowParts(invocation, abortSignal, outcome);
      return;
    }
    const { statusCode, headers: answered, body: frames } = outcome.response;
    for await (const frame of getChunkedStream(frames)) {
      const { headers, body } = codec.decode(frame);
      if (headers[':message-type']?.value !== 'event') {
        const told = { response: new HttpResponse({ statusCode, headers: answered, body: once(frame) }) };
        yield* slowParts(invocation, abortSignal, told);
        return;
      }
      if (headers[':event-type']?.value === 'PayloadPart') yield body;
    }
  }

  async function* slowParts(invocation: Invocation, abortSignal: AbortSignal, outcome: Outcome | undefined) {
    const command = new InvokeEndpointWithResponseStreamCommand(commandInput(invocation));
    const { Body = [] } = await client.send(withFirstOutcome(command, outcome), { abortSignal });
    for await (const event of Body) if (event.PayloadPart?.Bytes) yield event.PayloadPart.Bytes;
  }

  return { reply, parts };
}

function post(invocation: Invocation, operation: string): Post {
  const { EndpointName, InferenceComponentName: component, ContentType, Accept, Body } = commandInput(invocation);
  return {
    path: `/endpoints/${encodeURIComponent(EndpointName)}/${operation}`,
    headers: {
      'content-type': ContentType,
      [operation === 'invocations' ? 'accept' : 'x-amzn-sagemaker-accept']: Accept,
      ...(component !== undefined && { 'x-amzn-sagemaker-inference-component': component }),
    },
    body: Body,
  };
}

const isOk = (outcome: Outcome): outcome is Extract<Outcome, { response: unknown }> =>
  'response' in outcome && outcome.response.statusCode === 200;

const parsed = (bytes: Uint8Array | undefined): unknown => JSON.parse(decoder.decode(bytes));

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
