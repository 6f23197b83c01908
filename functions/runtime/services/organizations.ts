import type { Throttle } from '#domain/accounts/throttle.ts';
import type { KeyService } from '#domain/keys/key-service.ts';
import {
  invitationService,
  invitationsOfOrganization,
  invitationsToAddress,
} from '#domain/organizations/invitations.ts';
import {
  newOrganizations,
  organizationService,
  ownerMails,
  secondFactorRequirements,
} from '#domain/organizations/organizations.ts';
import { organizationStore } from '#repositories/accounts/organizations.ts';
import { secondFactorRules } from '#repositories/operators/audited-writes.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

interface OrganizationNeeds {
  readonly keys: () => KeyService;
  readonly throttles: () => Throttle;
  readonly stopCollecting: (id: number) => Promise<void>;
  readonly afterDeletion: (id: number) => Promise<void>;
  readonly onOwners: (id: number) => Promise<void>;
}

export function organizationServices(core: CoreServices, { keys, throttles, ...payment }: OrganizationNeeds) {
  const { clock, random, plans, metering, table, environment } = core;
  const store = organizationStore(dynamoClient(), table('accounts'), () => table('meters'));
  return {
    store,
    management: organizationService({
      ...payment,
      store,
      publicOrigin: environment.PUBLIC_ORIGIN,
      setSecondFactor: (...change) =>
        secondFactorRules(dynamoClient(), { accounts: table('accounts'), audit: table('audit') })(...change),
      enforceRuleLimit: (id) => throttles().enforce(secondFactorRequirements, String(id)),
      mayMailOwner: async (id, userId) => (await throttles().take(ownerMails, `${id}#${userId}`)) === 0,
      async enforceCreationLimit({ id, email }) {
        if (environment.NETWORK_LIMITS !== 'on') return;
        for (const subject of [String(id), email]) await throttles().enforce(newOrganizations, subject);
      },
      plans,
      currentMeter: (id, now) => metering().current(id, now),
      revokeKeysOf: (id, userId) => keys().revokeMadeBy(id, userId),
      clock,
      random,
    }),
    invitations: invitationService({
      store,
      async enforceMailLimit(organizationId, email) {
        await throttles().enforce(invitationsOfOrganization, String(organizationId));
        await throttles().enforce(invitationsToAddress, email);
      },
      clock,
      random,
      publicOrigin: environment.PUBLIC_ORIGIN,
    }),
  };
}
