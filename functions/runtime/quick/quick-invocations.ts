import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  type SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import { EventStreamCodec } from '@smithy/core/event-streams';
import type { Deadline } from '#gateways/sagemaker/deadline.ts';
import {
  type Asking,
  commandInput,
  type Invocation,
  jsonOf,
  type ModelRuntime,
  type Streaming,
  sentParts,
} from '#gateways/sagemaker/runtime.ts';
import type { Outcome } from './attempt.ts';
import { withFirstOutcome } from './first-outcome.ts';
import { FrameReader, headersAt } from './frames.ts';
import type { Post } from './post.ts';
import { bodyOf } from './read-body.ts';
import { type Send, signedTransport } from './signed-transport.ts';

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
  const transport = signedTransport(client.config, {}, endpoint);

  function reply(invocation: Invocation): Asking {
    const send = transport(post(invocation, 'invocations'));
    return async (deadline) => {
      const outcome = await send(deadline);
      const told = outcome && (await bodyOf(outcome, invocation.maxBytes));
      if (typeof told === 'string') return JSON.parse(told);
      const command = withFirstOutcome(new InvokeEndpointCommand(commandInput(invocation)), told);
      const { Body } = await client.send(command, { abortSignal: deadline.signal });
      return jsonOf(Body, invocation.maxBytes);
    };
  }

  function parts(invocation: Invocation): Streaming {
    const send = transport(post(invocation, 'invocations-response-stream'));
    return (deadline) => quickParts(invocation, deadline, send);
  }

  async function* quickParts(invocation: Invocation, deadline: Deadline, send: Send) {
    const outcome = await send(deadline);
    if (!outcome || !isOk(outcome)) {
      yield* slowParts(invocation, deadline, outcome);
      return;
    }
    const { reply } = outcome;
    const frames = new FrameReader();
    for await (const piece of reply) {
      for (const { bytes, bodyAt, body } of frames.push(piece)) {
        const kind = kindOf(bytes, bodyAt);
        if (kind === 'failure') {
          yield* slowParts(invocation, deadline, { reply, body: once(bytes) });
          return;
        }
        if (kind === 'part') yield body;
      }
    }
    frames.end();
  }

  function slowParts(invocation: Invocation, deadline: Deadline, outcome: Outcome | undefined) {
    const command = new InvokeEndpointWithResponseStreamCommand(commandInput(invocation));
    return sentParts(client, withFirstOutcome(command, outcome), deadline);
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

/** The headers of a message with some of the model's bytes: nearly all are alike, and need not be decoded again. */
let partHeaders: Buffer | undefined;

function kindOf(bytes: Buffer, bodyAt: number): 'part' | 'failure' | 'other' {
  if (partHeaders?.compare(bytes, headersAt, bodyAt) === 0) return 'part';
  const told = codec.decode(bytes).headers;
  if (told[':message-type']?.value !== 'event') return 'failure';
  if (told[':event-type']?.value !== 'PayloadPart') return 'other';
  partHeaders = Buffer.from(bytes.subarray(headersAt, bodyAt));
  return 'part';
}

const isOk = (outcome: Outcome): outcome is Extract<Outcome, { reply: unknown }> =>
  'reply' in outcome && outcome.reply.head.status === 200;

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
