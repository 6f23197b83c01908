import { services } from '#runtime/services/container.ts';
import { useModelServer } from '../models/model-server.ts';
import { type ApiResponse, chat, type Person, useTestService } from '../service/service.ts';

export const path = '/v1/chat/completions';
export const operations: string[] = [];
export const isReplay = ({ headers }: ApiResponse) => headers.get('idempotent-replayed') === 'true';
export const requestId = ({ headers }: ApiResponse) => headers.get('x-request-id');
export const meterOf = async ({ id }: Person) => (await services().metering().find(id))!;

/** A service with a model that counts its calls, and requests with an Idempotency-Key. */
export function useIdempotentCalls() {
  const model = useModelServer();
  const service = useTestService(() => ({
    modelUrl: model.url,
    onDynamoRequest: (operation) => void operations.push(operation),
  }));

  const send = (key: string, idempotencyKey: string, body: unknown = chat()): Promise<ApiResponse> =>
    service.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
  const customer = () => service.person({ planRank: 2, credits: 10 });
  const advance = (duration: string) => service.post('/_local/clock', { advance: duration });

  /** Number of model runs, and charged credits of the customer's ten. */
  const spent = async (person: Person) => [model.state.runs, 10 - (await meterOf(person)).spendable / 1_000_000];

  return { model, service, send, customer, advance, spent };
}
