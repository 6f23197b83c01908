import type { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import {
  commandInput,
  type Deadline,
  type Invocation,
  type Invoke,
  type ModelRuntime,
  type Streaming,
} from '#gateways/sagemaker/runtime.ts';
import type { AwsService } from '../aws/aws-service.ts';
import type { HttpRequest } from '../aws/signature.ts';
import { lazy } from '../process.ts';
import type { AttemptResult, TransportOptions } from './attempt.ts';
import { bodyOf, type Send, signedTransport } from './signed-transport.ts';

const loadFrames = lazy(() => import('#gateways/sagemaker/event-frames.ts'));

/** Invokes models without the SDK's middleware. Passes any result except 200 to the SDK, which maps it to an error. */
export function quickRuntime(
  service: AwsService,
  loadClient: () => Promise<SageMakerRuntimeClient>,
  options: TransportOptions,
): ModelRuntime {
  const prepare = signedTransport(service, options);

  function reply(invocation: Invocation): Invoke {
    const send = prepare(request(invocation, 'invocations'));
    return async (deadline) => {
      const body = await bodyOf(await send(deadline), invocation.maxBytes);
      if (typeof body === 'string') return JSON.parse(body);
      return (await runtimeAfter(body)).reply(invocation)(deadline);
    };
  }

  function parts(invocation: Invocation): Streaming {
    const send = prepare(request(invocation, 'invocations-response-stream'));
    void loadFrames();
    return (deadline) => quickParts(invocation, deadline, send);
  }

  async function* quickParts(invocation: Invocation, deadline: Deadline, send: Send) {
    const result = await send(deadline);
    if (!result || 'error' in result || result.response.status !== 200) {
      yield* (await runtimeAfter(result)).parts(invocation)(deadline);
      return;
    }
    const { FrameReader, kindOf } = await loadFrames();
    const { response } = result;
    const frames = new FrameReader();
    for await (const piece of response) {
      for (const { bytes, bodyAt, body } of frames.push(piece)) {
        const kind = kindOf(bytes, bodyAt);
        if (kind === 'failure') {
          yield* (await runtimeAfter({ response, body: [bytes] })).parts(invocation)(deadline);
          return;
        }
        if (kind === 'part') yield body;
      }
    }
    frames.end();
  }

  async function runtimeAfter(result: AttemptResult | undefined): Promise<ModelRuntime> {
    const [client, sdk] = await Promise.all([loadClient(), import('./first-result.ts')]);
    service.clockOffset = client.config.systemClockOffset;
    return sdk.runtimeAfter(result, client);
  }

  return { reply, parts };
}

function request(invocation: Invocation, operation: string): HttpRequest {
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
