import type { Inference } from '#domain/inference/inference.ts';
import { responsesService } from '#domain/inference/responses-service.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { lazy } from '../process.ts';
import { logger } from '../telemetry.ts';
import type { CoreServices } from './core-services.ts';

/** Loads the store and the SDK for requests that are stored. */
export function responseCalls({ clock, table }: Pick<CoreServices, 'clock' | 'table'>, inference: Inference) {
  const store = lazy(async () => {
    const [{ responseStore }, { dynamoClient }] = await Promise.all([
      import('#repositories/responses/responses.ts'),
      import('./dynamo-client.ts'),
    ]);
    return responseStore(dynamoClient(), table('responses'));
  });
  return responsesService({
    inference,
    store,
    tokenizer: bpeTokenizer,
    clock,
    onUnstored: (error) => logger().error('a response could not be stored', { error }),
  });
}
