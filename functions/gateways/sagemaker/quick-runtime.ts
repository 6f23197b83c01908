import type { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { bodyOf, firstAttempts, type Send } from '#aws/first-attempt.ts';
import type { AwsService } from '#aws/service.ts';
import type { AttemptResult, HttpRequest, TransportOptions } from '#aws/transport.ts';
import type { Deadline } from './deadline.ts';
import {
  commandInput,
  type Invocation,
  type Invoke,
  type ModelRuntime,
  type SageMakerPlace,
  type Streaming,
} from './runtime.ts';

/** Loaded with the first stream, because most functions start without one. */
const loadFrames = () => import('./event-frames.ts');

/**
 * Invocations that bypass the SDK's middleware. Returns only 200 responses and frames with the model's bytes. Any
 * other result is passed to the SDK as its only attempt, and the SDK throws the error.
 */
export function quickRuntime(
  service: AwsService,
  loadClient: () => Promise<SageMakerRuntimeClient>,
  options: TransportOptions,
): ModelRuntime<SageMakerPlace> {
  const prepare = firstAttempts(service, options);

  function reply(invocation: Invocation<SageMakerPlace>): Invoke {
    const send = prepare(request(invocation, 'invocations'));
    return async (deadline) => {
      const body = await bodyOf(await send(deadline), invocation.maxBytes);
      if (typeof body === 'string') return JSON.parse(body);
      return (await runtimeAfter(body)).reply(invocation)(deadline);
    };
  }

  function parts(invocation: Invocation<SageMakerPlace>): Streaming {
    const send = prepare(request(invocation, 'invocations-response-stream'));
    void loadFrames();
    return (deadline) => quickParts(invocation, deadline, send);
  }

  async function* quickParts(invocation: Invocation<SageMakerPlace>, deadline: Deadline, send: Send) {
    const result = await send(deadline);
    if (!result || 'error' in result || result.response.status !== 200) {
      yield* (await runtimeAfter(result)).parts(invocation)(deadline);
      return;
    }
    const { FrameReader } = await loadFrames();
    const { response } = result;
    const frames = new FrameReader();
    for await (const piece of response) {
      for (const { kind, bytes, body } of frames.push(piece)) {
        if (kind === 'failure') {
          yield* (await runtimeAfter({ response, body: [bytes] })).parts(invocation)(deadline);
          return;
        }
        if (kind === 'part') yield body;
      }
    }
    frames.end();
  }

  async function runtimeAfter(result: AttemptResult | undefined): Promise<ModelRuntime<SageMakerPlace>> {
    const [client, { sdkRuntime }, { firstResult }] = await Promise.all([
      loadClient(),
      import('./sdk-runtime.ts'),
      import('#aws/first-result.ts'),
    ]);
    service.clockOffset = client.config.systemClockOffset;
    return sdkRuntime(client, firstResult(result));
  }

  return { reply, parts };
}

function request(invocation: Invocation<SageMakerPlace>, operation: string): HttpRequest {
  const {
    EndpointName,
    InferenceComponentName: component,
    ContentType,
    Accept,
    CustomAttributes: attributes,
    Body,
  } = commandInput(invocation);
  return {
    path: `/endpoints/${encodeURIComponent(EndpointName)}/${operation}`,
    headers: {
      'content-type': ContentType,
      [operation === 'invocations' ? 'accept' : 'x-amzn-sagemaker-accept']: Accept,
      ...(attributes !== undefined && { 'x-amzn-sagemaker-custom-attributes': attributes }),
      ...(component !== undefined && { 'x-amzn-sagemaker-inference-component': component }),
    },
    body: Body,
  };
}
