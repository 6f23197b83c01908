import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type ContainerFamily, containerFamilies } from '#contract/offer/offer.ts';
import type { ModelChunk } from '#domain/inference/model-stream.ts';
import type { ModelGateway, ModelStream } from '#domain/inference/order.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import { type ModelGatewaySettings, RecentFailures } from '#gateways/sagemaker/served-model.ts';
import { demoEngine } from '#local/demo-engine/engine.ts';
import type { Engine } from '#local/sagemaker/engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';

export const demo = demoEngine({ wordDelayMs: 0 });
export const faults = createFaults();

export const chat = { messages: [{ role: 'user', content: 'Wie heißt der Fluss in Zürich? 🎉' }], max_tokens: 60 };

export async function read({ chunks }: ModelStream) {
  const all: ModelChunk[] = [];
  const error = await (async () => {
    for await (const chunk of chunks) all.push(chunk);
  })().catch((thrown: unknown) => thrown);
  const choices = all.flatMap((chunk) => chunk.choices);
  return {
    error,
    text: choices.map(({ text, delta }) => text ?? delta?.content ?? '').join(''),
    calls: choices.flatMap(({ delta }) => delta?.tool_calls ?? []).map((call) => call.function),
    reason: choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason,
    usage: all.findLast(({ usage }) => usage)?.usage,
  };
}

export function streaming(events: readonly (string | Error)[]): Engine {
  async function* chunks() {
    for (const event of events) {
      if (event instanceof Error) throw event;
      yield Buffer.from(event);
    }
  }
  return { invoke: async () => ({ kind: 'stream', contentType: 'text/event-stream', chunks: chunks() }) };
}

/** The stand-in of each container family behind the gateway, with an engine chosen by the test. */
export function useModelFamilies() {
  let engine: Engine;
  let server: Loopback;
  let client: SageMakerRuntimeClient;
  let gateway: ModelGateway;

  beforeAll(async () => {
    const endpoints = new Map(containerFamilies.map((family) => [`the-${family}`, family]));
    server = await startSageMaker({
      engine: { invoke: (...parameters) => engine.invoke(...parameters) },
      faults,
      endpoints,
    });
    client = new SageMakerRuntimeClient({ endpoint: server.url, maxAttempts: 1 });
    gateway = gatewayWith({});
  });
  beforeEach(() => {
    engine = demo;
  });
  afterAll(async () => {
    client.destroy();
    await server.close();
  });

  /** A gateway in which each model has the name of its family. */
  const gatewayWith = (deadlines: Partial<ModelGatewaySettings>) =>
    sagemakerGateway(sdkRuntime(client), {
      endpointsOf: (family) => [{ kind: 'sagemaker', endpoint: `the-${family}`, family: family as ContainerFamily }],
      failures: new RecentFailures(),
      deadlineMs: 20_000,
      streamDeadlineMs: 20_000,
      ...deadlines,
    });

  return {
    get engine() {
      return engine;
    },
    set engine(value) {
      engine = value;
    },
    get client() {
      return client;
    },
    get gateway() {
      return gateway;
    },
    gatewayWith,
  };
}
