import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  type SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import { BodyTooLarge } from '../bounded-body.ts';
import type { Deadline } from './deadline.ts';

/** One call of an endpoint, with a body to be sent as JSON. */
export interface Invocation {
  readonly endpoint: string;
  /** Inference component of the endpoint, where it has such. */
  readonly component?: string | undefined;
  readonly body: unknown;
  /** Bytes that a whole reply may have; a longer one is refused with BodyTooLarge. */
  readonly maxBytes: number;
}

/** Sends an invocation, and gives its whole reply as JSON. */
export type Asking = (deadline: Deadline) => Promise<unknown>;

/** Sends an invocation, and gives the bytes of its reply as they come, no faster than they are taken. */
export type Streaming = (deadline: Deadline) => AsyncIterable<Buffer>;

/** The SageMaker runtime. It makes an invocation ready; what it gives back sends it, once. */
export interface ModelRuntime {
  reply(invocation: Invocation): Asking;
  parts(invocation: Invocation): Streaming;
}

export const commandInput = ({ endpoint, component, body }: Invocation) => ({
  EndpointName: endpoint,
  InferenceComponentName: component,
  ContentType: 'application/json',
  Accept: 'application/json',
  Body: JSON.stringify(body),
});

/** Sends a command, and gives the bytes of its reply as they come, not copied. */
export async function* sentParts(
  client: SageMakerRuntimeClient,
  command: InvokeEndpointWithResponseStreamCommand,
  deadline: Deadline,
): AsyncGenerator<Buffer> {
  const { Body = [] } = await client.send(command, { abortSignal: deadline.signal });
  for await (const { PayloadPart } of Body) {
    if (!PayloadPart?.Bytes) continue;
    const { buffer, byteOffset, byteLength } = PayloadPart.Bytes;
    yield Buffer.from(buffer, byteOffset, byteLength);
  }
}

/** Of a reply that the SDK has collected. */
export function jsonOf(body: Uint8Array | undefined, maxBytes: number): unknown {
  if (body && body.length > maxBytes) throw new BodyTooLarge(maxBytes);
  return JSON.parse(new TextDecoder().decode(body));
}

export function modelRuntime(client: SageMakerRuntimeClient): ModelRuntime {
  function reply(invocation: Invocation): Asking {
    const command = new InvokeEndpointCommand(commandInput(invocation));
    return async (deadline) => {
      const { Body } = await client.send(command, { abortSignal: deadline.signal });
      return jsonOf(Body, invocation.maxBytes);
    };
  }

  function parts(invocation: Invocation): Streaming {
    const command = new InvokeEndpointWithResponseStreamCommand(commandInput(invocation));
    return (deadline) => sentParts(client, command, deadline);
  }

  return { reply, parts };
}
