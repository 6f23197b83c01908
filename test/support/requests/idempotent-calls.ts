import { afterAll, beforeAll, beforeEach } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { type ModelServer, startModelServer } from '../models/model-server.ts';
import { type ApiResponse, chat, type Person, startTestService, type TestService } from '../service/service.ts';

export const path = '/v1/chat/completions';
export const operations: string[] = [];
export const isReplay = ({ headers }: ApiResponse) => headers.get('idempotent-replayed') === 'true';
export const requestId = ({ headers }: ApiResponse) => headers.get('x-request-id');
export const meterOf = async ({ id }: Person) => (await services().metering().find(id))!;

/** A service with a model that counts its calls, and requests with an Idempotency-Key. */
export function useIdempotentCalls() {
  let model: ModelServer;
  let service: TestService;
  beforeAll(async () => {
    model = await startModelServer();
    service = await startTestService({
      modelUrl: model.url,
      onDynamoRequest: (operation: string) => void operations.push(operation),
    });
  });
  afterAll(async () => {
    await service.close();
    model.close();
  });
  beforeEach(() => void model.reset());

  const send = (key: string, idempotencyKey: string, body: unknown = chat()): Promise<ApiResponse> =>
    service.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
  const customer = () => service.person({ planRank: 2, credits: 10 });
  const advance = (duration: string) => service.post('/_local/clock', { advance: duration });

  /** How often the model ran, and how many of a customer's ten credits are gone. */
  const spent = async (person: Person) => [model.state.runs, 10 - (await meterOf(person)).spendable / 1_000_000];

  return {
    get model() {
      return model;
    },
    get service() {
      return service;
    },
    send,
    customer,
    advance,
    spent,
  };
}
