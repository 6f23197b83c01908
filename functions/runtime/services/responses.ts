import { storedResponseService } from '#domain/inference/stored-responses.ts';
import type { cancellationService } from '#domain/requests/cancellations.ts';
import { responseStore } from '#repositories/responses/responses.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

type Cancellations = ReturnType<typeof cancellationService>;

export function storedResponses(
  { clock, table, metering }: Pick<CoreServices, 'clock' | 'table' | 'metering'>,
  cancellations: () => Promise<Cancellations>,
) {
  return storedResponseService({
    store: responseStore(dynamoClient(), table('responses')),
    cancel: async (accountId, requestId) => (await cancellations()).cancel(accountId, requestId),
    findHold: (call) => metering().findHold(call),
    clock,
  });
}
