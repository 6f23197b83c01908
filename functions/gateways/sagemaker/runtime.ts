import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  type SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import type { Deadline } from './deadline.ts';

/** One call of an endpoint, with a body to be sent as JSON. */
export interface Invocation {
  readonly endpoint: string;
  /** Inference component of the endpoint, where it has such. */
  readonly component?: string | undefined;
  readonly body: unknown;
}

/** The SageMaker runtime: a whole reply as JSON, or the bytes of a streamed one, no faster than they are taken. */
export interface ModelRuntime {
  reply(invocation: Invocation, deadline: Deadline): Promise<unknown>;
  parts(invocation: Invocation, deadline: Deadline): AsyncIterable<Uint8Array>;
}

export const commandInput = ({ endpoint, component, body }: Invocation) => ({
  EndpointName: endpoint,
  InferenceComponentName: component,
  ContentType: 'application/json',
  Accept: 'application/json',
  Body: JSON.stringify(body),
});

export function modelRuntime(client: SageMakerRuntimeClient): ModelRuntime {
  async function reply(invocation: Invocation, deadline: Deadline): Promise<unknown> {
    const { Body } = await client.send(new InvokeEndpointCommand(commandInput(invocation)), {
      abortSignal: deadline.signal,
    });
    return JSON.parse(new TextDecoder().decode(Body));
  }

  async function* parts(invocation: Invocation, deadline: Deadline): AsyncGenerator<Uint8Array> {
    const command = new InvokeEndpointWithResponseStreamCommand(commandInput(invocation));
    const { Body = [] } = await client.send(command, { abortSignal: deadline.signal });
    for await (const event of Body) if (event.PayloadPart?.Bytes) yield event.PayloadPart.Bytes;
  }

  return { reply, parts };
}
