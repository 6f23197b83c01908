import type { Account } from '#domain/accounts/account.ts';
import type { KeyService } from '#domain/keys/key-service.ts';
import { invitationService } from '#domain/organizations/invitations.ts';
import { organizationService } from '#domain/organizations/organizations.ts';
import { organizationStore } from '#repositories/accounts/organizations.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

interface OrganizationNeeds {
  readonly findAccount: (userId: number) => Promise<Account | undefined>;
  readonly keys: () => KeyService;
  readonly enforceCreationLimit: (userId: number) => Promise<void>;
  readonly enforceMailLimit: (organizationId: number, email: string) => Promise<void>;
  readonly stopCollecting: (id: number) => Promise<void>;
  readonly afterDeletion: (id: number) => Promise<void>;
  readonly onOwners: (id: number) => Promise<void>;
}

export function organizationServices(core: CoreServices, needs: OrganizationNeeds) {
  const { clock, random, plans, metering, table, environment } = core;
  const store = organizationStore(dynamoClient(), table('accounts'), () => table('meters'));
  return {
    store,
    management: organizationService({
      ...needs,
      store,
      plans,
      currentMeter: (id, now) => metering().current(id, now),
      revokeKeysOf: (id, userId) => needs.keys().revokeMadeBy(id, userId),
      clock,
      random,
    }),
    invitations: invitationService({
      store,
      enforceMailLimit: needs.enforceMailLimit,
      clock,
      random,
      publicOrigin: environment.PUBLIC_ORIGIN,
    }),
  };
}
