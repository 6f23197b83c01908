import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type * as v from 'valibot';
import type { OrganizationRole } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { documentAccount } from './account.ts';
import { call } from './call.ts';
import { documentOrganization, leaveOrganization, listKey, renameChoice } from './organization.ts';

export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly role: OrganizationRole;
  readonly createdAt: string;
  readonly isPersonal: boolean;
}

export type Member = v.InferOutput<typeof organizationRoutes.listMembers.output>['items'][number];
type Listed = v.InferOutput<typeof organizationRoutes.listOrganizations.output>['items'][number];

/** The personal organization has the account's id. */
export const organizationOf = ({ id, ...listed }: Listed): OrganizationRecord => ({
  ...listed,
  id: String(id),
  isPersonal: String(id) === String(documentAccount()),
});

/** Leaves the document if the person is no longer a member of its organization. */
async function loadOrganizations(signal: AbortSignal): Promise<readonly OrganizationRecord[]> {
  const { items } = await call(organizationRoutes.listOrganizations, {}, { signal });
  const all = items.map(organizationOf);
  const shown = documentOrganization();
  if (!shown) return all;
  const current = all.find(({ id }) => id === shown.id);
  if (current) renameChoice({ id: current.id, name: current.name });
  else await leaveOrganization(`You are no longer a member of ${shown.name}. This is your personal organization.`);
  return all;
}

export const useOrganizations = ({ enabled = true } = {}): UseQueryResult<readonly OrganizationRecord[]> =>
  useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) => loadOrganizations(signal),
    enabled,
  });

/** The document's organization. Undefined while loading. */
export function useOrganization(): OrganizationRecord | undefined {
  const { data } = useOrganizations();
  const shown = documentOrganization();
  return data?.find(({ id, isPersonal }) => (shown ? id === shown.id : isPersonal));
}

/** The member's role in the document's organization. Undefined while loading. */
export function useRole(): OrganizationRole | undefined {
  const shown = documentOrganization();
  const { data } = useOrganizations({ enabled: Boolean(shown) });
  return shown ? data?.find(({ id }) => id === shown.id)?.role : 'owner';
}
