import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { afterEach } from 'vitest';
import { type Engine, type EngineReply } from '#local/sagemaker/engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults, type FaultOf, type Faults } from '#local/shared/faults.ts';

const input = { EndpointName: 'svc-1', ContentType: 'application/json', Body: '{"prompt":"hi"}' };
export const plain = (more: object = {}) => new InvokeEndpointCommand({ ...input, ...more });
export const streaming = (more: object = {}) => new InvokeEndpointWithResponseStreamCommand({ ...input, ...more });
export const stream = (chunks: AsyncIterable<Uint8Array>): EngineReply => ({
  kind: 'stream',
  contentType: 'text/event-stream',
  chunks,
});
export async function* texts(...all: string[]): AsyncGenerator<Uint8Array> {
  for (const text of all) yield Buffer.from(text);
}

/** SageMaker’s stand-in with an engine chosen by the test. */
export function useSageMaker() {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function setUp(invoke: Engine['invoke'], maxAttempts = 1) {
    const faults: Faults = createFaults();
    const server = await startSageMaker({ engine: { invoke }, faults, endpoints: new Map([['svc-1', 'vllm']]) });
    const client = new SageMakerRuntimeClient({
      endpoint: server.url,
      retryStrategy: new ConfiguredRetryStrategy(maxAttempts, 1),
    });
    ends.push(
      () => server.close(),
      () => client.destroy(),
    );
    const fail = (fault: FaultOf<'sagemaker'>, count = 1) => faults.order({ target: 'sagemaker', fault, count });
    return { client, server, fail };
  }

  return { ends, setUp };
}
