import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ModelGateway } from '#domain/inference/order.ts';
import { bedrockRuntime } from '#gateways/bedrock/bedrock-runtime.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { RecentFailures } from '#gateways/sagemaker/served-model.ts';
import { startBedrock } from '#local/bedrock/server.ts';
import type { Engine } from '#local/sagemaker/engine.ts';
import { createFaults } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';
import '../restored-environment.ts';
import { demo, read } from './model-families.ts';

export const nova = 'us.amazon.nova-lite-v1:0';
export const titan = 'amazon.titan-embed-text-v2:0';

const question = { messages: [{ role: 'user', content: 'Wie heißt der Fluss in Zürich? 🎉' }], max_tokens: 60 };

/** Models of Bedrock behind the gateway and the official client, by the stand-in with an engine chosen by the test. */
export function useBedrock() {
  const faults = createFaults();
  let engine: Engine;
  let bodies: any[];
  let server: Loopback;
  let gateway: ModelGateway;

  function gatewayTo(model: string, deadlineMs = 20_000): ModelGateway {
    const deadlines = { deadlineMs, streamDeadlineMs: deadlineMs };
    const endpointsOf = () => [{ kind: 'bedrock', model } as const];
    return sagemakerGateway(bedrockRuntime(), { endpointsOf, ...deadlines, failures: new RecentFailures() });
  }

  beforeAll(async () => {
    const recorded: Engine = {
      invoke(body, signal) {
        bodies.push(body);
        return engine.invoke(body, signal);
      },
    };
    server = await startBedrock({ engine: recorded, faults, models: new Set([nova, titan]) });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
    [engine, bodies, gateway] = [demo, [], gatewayTo(nova)];
  });

  /** Uses a server that responds to every request like this, instead of the stand-in. */
  async function withServer(
    respond: (response: ServerResponse) => unknown,
    use: () => Promise<unknown>,
  ): Promise<void> {
    const own = createServer((incoming, response) => {
      incoming.resume();
      incoming.once('end', () => respond(response));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => own.once('listening', resolve));
    process.env['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'] = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
    gateway = gatewayTo(nova, 20_000);
    try {
      await use();
    } finally {
      own.closeAllConnections();
      own.close();
    }
  }

  return {
    faults,
    gatewayTo,
    withServer,
    set engine(value: Engine) {
      engine = value;
    },
    set gateway(value: ModelGateway) {
      gateway = value;
    },
    /** Requests to the engine. */
    get bodies() {
      return bodies;
    },
    chat: (more: object = {}) => gateway.chat('m', { ...question, ...more }).send(),
    open: (more: object = {}) => gateway.chatStream('m', { ...question, ...more }).send(),
    stream: (more: object = {}) => read(gateway.chatStream('m', { ...question, ...more }).send()),
    question,
  };
}
