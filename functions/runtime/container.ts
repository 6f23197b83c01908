import * as v from 'valibot';
import { Environment, tableVariables } from '#contract/environment.ts';
import { briefModelSeconds } from '#contract/limits.ts';
import { plansOf } from '#contract/plans.ts';
import type { TableId } from '#contract/tables.ts';
import { deviceService } from '#domain/accounts/devices.ts';
import { googleSignInService } from '#domain/accounts/google-sign-in.ts';
import { passwordService } from '#domain/accounts/passwords.ts';
import { profileService } from '#domain/accounts/profile.ts';
import { registrationService } from '#domain/accounts/registration.ts';
import { sessionService } from '#domain/accounts/sessions.ts';
import { signInService } from '#domain/accounts/sign-in.ts';
import { auditor } from '#domain/auditor.ts';
import { idempotency } from '#domain/idempotency.ts';
import { inference } from '#domain/inference.ts';
import { keyService } from '#domain/keys/key-service.ts';
import { projectLedger } from '#domain/ledger.ts';
import { metering } from '#domain/meter/metering.ts';
import { operatorService } from '#domain/operators.ts';
import { noPayments } from '#domain/payments.ts';
import { statementService } from '#domain/statements.ts';
import { subscriptionService } from '#domain/subscriptions.ts';
import { throttle } from '#domain/throttle.ts';
import { translationService } from '#domain/translation.ts';
import { leakedPasswords } from '#gateways/common-passwords.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { accountStore } from '#repositories/accounts.ts';
import { auditStore } from '#repositories/audit.ts';
import { auditReads } from '#repositories/audit-reads.ts';
import { closureStore } from '#repositories/closures.ts';
import { deviceStore } from '#repositories/devices.ts';
import { idempotencyStore } from '#repositories/idempotency.ts';
import { identityStore } from '#repositories/identities.ts';
import { keyStore } from '#repositories/keys.ts';
import { ledgerStore } from '#repositories/ledger.ts';
import { meterImageOf, wantedOfAllowance } from '#repositories/meter-item.ts';
import { meterStore } from '#repositories/meters.ts';
import { outboxStore } from '#repositories/outbox.ts';
import { passwordStore } from '#repositories/passwords.ts';
import { sessionStore } from '#repositories/sessions.ts';
import { statementStore } from '#repositories/statements.ts';
import { suppressionStore } from '#repositories/suppressions.ts';
import { throttleStore } from '#repositories/throttles.ts';
import { ambient } from './ambient.ts';
import { dynamoClient, dynamoWire, sagemakerClient } from './clients.ts';
import { lazy } from './lazy.ts';
import { quickInvocations } from './quick/quick-invocations.ts';
import { quickUpdate } from './quick/quick-update.ts';

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

  const plans = plansOf(environment.PLAN_TABLE);
  const settings = {
    publicOrigin: environment.PUBLIC_ORIGIN,
    scryptLog2Cost: environment.SCRYPT_LOG2_N,
    commonPasswords: leakedPasswords,
    plans,
  };
  const provider = {
    audience: environment.IDENTITY_AUDIENCE,
    issuers: environment.IDENTITY_ISSUERS.split(','),
    keysUrl: environment.IDENTITY_KEYS_URL,
  };
  // What one function of many needs is read when that function first asks for it, not by every start.
  const identities = lazy(async () => (await import('#gateways/identity-tokens.ts')).identityTokens(provider));
  const deadlineMs = environment.MODEL_DEADLINE_MS;
  const briefDeadlineMs = Math.min(deadlineMs, briefModelSeconds * 1000);
  const modelGateway = lazy(() => {
    const client = sagemakerClient();
    const settings = {
      endpointOf: (model: string) => environment.MODEL_ENDPOINTS.get(model),
      deadlineMs,
      briefDeadlineMs,
      streamDeadlineMs: environment.MODEL_STREAM_DEADLINE_MS,
    };
    return sagemakerGateway(client, settings, quickInvocations(client));
  });
  const forTranslation = {
    model: environment.TRANSLATION_MODEL,
    newDeadline: () => AbortSignal.timeout(briefDeadlineMs),
  };
  const meters = lazy(() => {
    const update = quickUpdate(dynamo(), dynamoWire, wantedOfAllowance);
    return metering(meterStore(dynamo(), table('meters'), update), plans);
  });
  const accounts = lazy(() => accountStore(dynamo(), table('accounts'), () => table('meters')));
  const passwords = lazy(() => passwordStore(dynamo(), table('accounts')));
  const devices = lazy(() => deviceService(deviceStore(dynamo(), table('accounts')), clock, random));
  const closures = lazy(() => closureStore(dynamo(), table('accounts'), table('meters')));
  const throttles = lazy(() => throttle(throttleStore(dynamo(), table('accounts')), clock));
  const keys = lazy(() => keyService(keyStore(dynamo(), table('accounts'), table('meters')), clock, random));
  const subscriptions = lazy(() => subscriptionService(meters(), noPayments, plans, clock, random));
  return {
    environment,
    clock,
    random,
    metering: meters,
    idempotency: lazy(() => idempotency(idempotencyStore(dynamo(), table('idempotency')), clock)),
    registration: lazy(() => registrationService(accounts(), throttles(), clock, random, settings)),
    signIn: lazy(() => signInService(accounts(), passwords(), devices(), throttles(), random, settings)),
    googleSignIn: lazy(() =>
      googleSignInService(
        accounts(),
        identityStore(dynamo(), table('accounts')),
        { verify: async (token, now) => (await identities()).verify(token, now) },
        plans,
        clock,
        random,
      ),
    ),
    sessions: lazy(() => sessionService(sessionStore(dynamo(), table('accounts')), clock, random)),
    devices,
    passwords: lazy(() => passwordService(accounts(), passwords(), throttles(), clock, random, settings)),
    profile: lazy(() => profileService(accounts(), closures, meters, throttles, clock, random, settings)),
    operators: lazy(() =>
      operatorService(
        accounts(),
        closures(),
        keys(),
        meters(),
        subscriptions(),
        auditStore(dynamo(), table('accounts')),
        clock,
      ),
    ),
    keys,
    subscriptions,
    inference: lazy(() => inference(modelGateway(), bpeTokenizer, clock)),
    translation: lazy(() => translationService(modelGateway(), forTranslation)),
    ledger: lazy(() => {
      const names = { ledger: table('ledger'), accounts: table('accounts') };
      const store = ledgerStore(dynamo(), names, environment.PUBLIC_ORIGIN);
      return { project: (image: unknown) => projectLedger(store, meterImageOf(image)) };
    }),
    auditor: lazy(() => auditor(auditReads(dynamo(), table('meters'), table('ledger')))),
    statements: lazy(() => statementService(statementStore(dynamo(), table('ledger')), clock)),
    outbox: lazy(() => outboxStore(dynamo(), table('accounts'))),
    suppressions: lazy(() => suppressionStore(dynamo(), table('accounts'))),
    mailer: lazy(async () => {
      const [{ sesMailer }, { sesClient }] = await Promise.all([
        import('#gateways/ses-mailer.ts'),
        import('./ses-client.ts'),
      ]);
      return sesMailer(sesClient(), {
        sender: environment.MAIL_SENDER,
        configurationSet: environment.MAIL_CONFIGURATION_SET,
      });
    }),
  };
}
