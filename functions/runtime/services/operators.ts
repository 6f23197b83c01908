import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Plans } from '#contract/billing/plans.ts';
import type { TableId } from '#contract/platform/resources.ts';
import type { AccountStore } from '#domain/accounts/account.ts';
import type { statementService } from '#domain/billing/statements.ts';
import type { SubscriptionService } from '#domain/billing/subscriptions.ts';
import type { KeyService } from '#domain/keys/key-service.ts';
import type { SuppressionStore } from '#domain/mail/mail.ts';
import type { Metering } from '#domain/meter/metering.ts';
import { directory } from '#domain/operators/directory.ts';
import { accountReads, accountSearch } from '#domain/operators/operated-account.ts';
import { auditTrail, operatorActions } from '#domain/operators/operator-actions.ts';
import type { Membership } from '#domain/organizations/organization.ts';
import type { OrderStore } from '#domain/payments/order.ts';
import type { requestLog } from '#domain/requests/request-log.ts';
import type { Clock, Random } from '#domain/shared/ports.ts';
import { mailHistory } from '#repositories/mail/mail.ts';
import { directoryStore } from '#repositories/operators/directory.ts';
import { auditReads, emailsOf, operatedAccount, operatorStore } from '#repositories/operators/operators.ts';
import { ambient, lazy } from '../process.ts';

interface OperatorParts {
  readonly dynamo: () => DynamoDBDocumentClient;
  readonly table: (id: TableId) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly plans: Plans;
  readonly accounts: () => AccountStore;
  readonly membershipsOf: (userId: number) => Promise<readonly Membership[]>;
  readonly metering: () => Metering;
  readonly keys: () => KeyService;
  readonly subscriptions: () => SubscriptionService;
  readonly statements: () => Promise<ReturnType<typeof statementService>>;
  readonly suppressions: () => SuppressionStore;
  readonly requests: () => Promise<ReturnType<typeof requestLog>>;
  readonly orders: () => Promise<OrderStore>;
}

export function operatorServices(parts: OperatorParts) {
  const { dynamo, table, clock, random, plans, metering, keys, subscriptions } = parts;
  /** Also finds shared organizations by their id. */
  const accounts = (): AccountStore => {
    const store = parts.accounts();
    return { ...store, find: (id) => operatedAccount(dynamo(), table('accounts'), store, id) };
  };
  return {
    actions: lazy(() => {
      const names = { accounts: table('accounts'), meters: table('meters'), audit: table('audit') };
      return operatorActions({
        accounts: accounts(),
        store: operatorStore(dynamo(), names),
        keys: keys(),
        metering: metering(),
        orders: parts.orders,
        suppressions: parts.suppressions(),
        subscriptions: subscriptions(),
        clock,
        random,
      });
    }),
    directory: lazy(() => {
      const names = { directory: table('directory'), meters: () => table('meters'), accounts: () => table('accounts') };
      return directory(directoryStore(dynamo(), names), clock, () => ambient.hourlyOffsetMs?.() ?? 0);
    }),
    search: lazy(() => accountSearch(accounts(), metering(), clock)),
    reads: lazy(() => {
      const { statements, suppressions, requests, orders } = parts;
      const webhooks = async () => {
        const { webhookStore } = await import('#repositories/webhooks/webhooks.ts');
        return webhookStore(dynamo(), table('webhooks'), () => table('meters'));
      };
      const mails = () => mailHistory(dynamo(), table('accounts'));
      return accountReads({
        accounts: accounts(),
        membershipsOf: parts.membershipsOf,
        metering,
        plans,
        statements,
        keys,
        mails,
        suppressions,
        requests,
        orders,
        webhooks,
        clock,
      });
    }),
    trail: lazy(() => auditTrail(auditReads(dynamo(), table('audit')), emailsOf(dynamo(), table('accounts')))),
  };
}
