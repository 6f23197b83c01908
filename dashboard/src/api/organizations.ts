import { t } from '@lingui/core/macro';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import * as v from 'valibot';
import { defineRoute } from '#contract/http/route.ts';
import {
  mayAccess,
  type OrganizationAccess,
  type OrganizationRole,
  organizationRoles,
} from '#contract/organizations/roles.ts';
import type { organizationRoutes } from '#contract/routes/organizations.ts';
import { readStored, removeStored } from '../lib/storage.ts';
import { leaveReason } from './account-storage.ts';
import { documentAccount, documentOrganization, listKey } from './account.ts';
import { call } from './call.ts';

const Listed = v.object({
  id: v.number(),
  name: v.string(),
  role: v.picklist(organizationRoles),
  createdAt: v.string(),
  requiresSecondFactor: v.optional(v.boolean(), false),
});

/** The contract's route. A copy, because every page lists the organizations, and few need the other routes. */
const listOrganizations = defineRoute({
  id: 'list-organizations',
  method: 'GET',
  path: '/api/organizations',
  summary: 'List the organizations',
  credential: 'session',
  access: 'person',
  output: v.object({ items: v.array(Listed) }),
  uses: {},
}) satisfies Pick<typeof organizationRoutes.listOrganizations, 'id' | 'method' | 'path' | 'credential' | 'access'>;

export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly role: OrganizationRole;
  readonly createdAt: string;
  readonly requiresSecondFactor: boolean;
  readonly isPersonal: boolean;
}

/** The personal organization has the account's id. */
export const organizationOf = ({ id, ...listed }: v.InferOutput<typeof Listed>): OrganizationRecord => ({
  ...listed,
  id: String(id),
  isPersonal: id === documentAccount(),
});

/** Leaves the document if the person is no longer a member of its organization. */
export async function loadOrganizations(signal?: AbortSignal): Promise<readonly OrganizationRecord[]> {
  const { items } = await call(listOrganizations, {}, { signal });
  const all = items.map(organizationOf);
  const shown = documentOrganization();
  if (!shown) return all;
  const current = all.find(({ id }) => id === shown.id);
  if (current?.name === shown.name) return all;
  const { chooseOrganization, leaveOrganization } = await import('./organization-choice.ts');
  if (current) chooseOrganization({ id: current.id, name: current.name });
  else {
    const { name } = shown;
    await leaveOrganization(t`You are no longer a member of ${name}. This is your personal organization.`);
  }
  return all;
}

export const useOrganizations = ({ enabled = true } = {}): UseQueryResult<readonly OrganizationRecord[]> =>
  useQuery({ queryKey: listKey, queryFn: ({ signal }) => loadOrganizations(signal), enabled });

/** The document's organization. Undefined while loading. */
export function useOrganization(): OrganizationRecord | undefined {
  const { data } = useOrganizations();
  const shown = documentOrganization();
  return data?.find(({ id, isPersonal }) => (shown ? id === shown.id : isPersonal));
}

/** The document's organization if other people share it. Undefined while loading. */
export function useSharedOrganization(): OrganizationRecord | undefined {
  const shown = documentOrganization();
  const { data } = useOrganizations({ enabled: Boolean(shown) });
  return data?.find(({ id }) => id === shown?.id);
}

/** The member's role in the document's organization. Undefined while loading. */
function useRole(): OrganizationRole | undefined {
  const shared = useSharedOrganization();
  return documentOrganization() ? shared?.role : 'owner';
}

/** Whether the member's role has this access. False while the role is loading. */
export function useMay(access: OrganizationAccess): boolean {
  const role = useRole();
  return role !== undefined && mayAccess(access, role);
}

/** Returns once the reason why this document replaced one of another organization. */
export function takeLeaveReason(): string | null {
  const reason = readStored('sessionStorage', leaveReason);
  removeStored('sessionStorage', leaveReason);
  return reason;
}
