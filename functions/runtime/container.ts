import * as v from 'valibot';
import { Environment, tableVariables } from '#contract/environment.ts';
import { models } from '#contract/models.ts';
import type { TableId } from '#contract/tables.ts';
import { accountService } from '#domain/accounts/account-service.ts';
import { inference } from '#domain/inference.ts';
import { keyService } from '#domain/keys/key-service.ts';
import { projectLedger } from '#domain/ledger.ts';
import { metering } from '#domain/meter/metering.ts';
import { subscriptionService } from '#domain/subscriptions.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { sesMailer } from '#gateways/ses-mailer.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { accountStore } from '#repositories/accounts.ts';
import { keyStore } from '#repositories/keys.ts';
import { ledgerStore } from '#repositories/ledger.ts';
import { meterImageOf } from '#repositories/meter-item.ts';
import { meterStore } from '#repositories/meters.ts';
import { outboxStore } from '#repositories/outbox.ts';
import { ambient } from './ambient.ts';
import { dynamoClient, sagemakerClient, sesClient } from './clients.ts';
import { lazy } from './lazy.ts';

export type Services = ReturnType<typeof build>;

let container: Services | undefined;

/** Everything a function may need, each part built when it is first asked for; the environment is read then too. */
export function services(): Services {
  return (container ??= build());
}

/** Forgets what was built, so that the next event meets the environment as it is then. */
export function resetContainer(): void {
  container = undefined;
}

function build() {
  const environment = v.parse(Environment, process.env);
  const dynamo = lazy(dynamoClient);
  const { clock, random } = ambient;
  const table = (id: TableId): string => {
    const variable = tableVariables[id];
    const name = environment[variable];
    if (!name) throw new Error(`${variable} is not set: this function was not given the table ${id}`);
    return name;
  };
  const endpointOf = (model: string): string =>
    environment.MODEL_ENDPOINTS[model] ?? models.find(({ id }) => id === model)?.endpoint ?? model;

  const settings = { publicOrigin: environment.PUBLIC_ORIGIN, scryptLog2Cost: environment.SCRYPT_LOG2_N };
  const deadlineMs = environment.MODEL_DEADLINE_MS;
  const meters = lazy(() => metering(meterStore(dynamo(), table('meters'))));
  return {
    environment,
    clock,
    random,
    metering: meters,
    accounts: lazy(() =>
      accountService(
        accountStore(dynamo(), table('accounts'), () => table('meters')),
        clock,
        random,
        settings,
      ),
    ),
    keys: lazy(() => keyService(keyStore(dynamo(), table('accounts'), table('meters')), clock, random)),
    subscriptions: lazy(() => subscriptionService(meters(), clock, random)),
    inference: lazy(() =>
      inference(sagemakerGateway(sagemakerClient(), { endpointOf, deadlineMs }), bpeTokenizer, clock),
    ),
    ledger: lazy(() => {
      const store = ledgerStore(dynamo(), table('ledger'), table('accounts'));
      return { project: (image: unknown) => projectLedger(store, meterImageOf(image)) };
    }),
    outbox: lazy(() => outboxStore(dynamo(), table('accounts'))),
    mailer: lazy(() => sesMailer(sesClient(), environment.MAIL_SENDER)),
  };
}
