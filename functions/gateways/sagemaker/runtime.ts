import type { Deadline } from './deadline.ts';

/** One call of an endpoint. */
export interface Invocation {
  readonly endpoint: string;
  /** Inference component of the endpoint, where it has such. */
  readonly component?: string | undefined;
  /** Sent as JSON, unless it is bytes already, of `contentType`. */
  readonly body: unknown;
  readonly contentType?: string | undefined;
  /** Media type of the reply; JSON by default. */
  readonly accept?: string | undefined;
  /** What chooses among the APIs of a container that has several. */
  readonly attributes?: string | undefined;
  /** Bytes that a whole reply may have; a longer one is refused with BodyTooLarge. */
  readonly maxBytes: number;
}

/** Sends an invocation, and gives its whole reply as JSON. */
export type Invoke = (deadline: Deadline) => Promise<unknown>;

/** Sends an invocation, and gives the bytes of its reply as they come, no faster than they are taken. */
export type Streaming = (deadline: Deadline) => AsyncIterable<Buffer>;

/** The SageMaker runtime. It makes an invocation ready; what it gives back sends it, once. */
export interface ModelRuntime {
  reply(invocation: Invocation): Invoke;
  parts(invocation: Invocation): Streaming;
}

export const commandInput = ({
  endpoint,
  component,
  body,
  contentType = 'application/json',
  accept = 'application/json',
  attributes,
}: Invocation) => ({
  EndpointName: endpoint,
  InferenceComponentName: component,
  ContentType: contentType,
  Accept: accept,
  CustomAttributes: attributes,
  Body: body instanceof Uint8Array ? body : JSON.stringify(body),
});
