import type * as v from 'valibot';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { useSharedOrganization } from './organizations.ts';
import { useData } from './reads.ts';
import { toApiError } from './response.ts';

export type Member = v.InferOutput<typeof organizationRoutes.listMembers.output>['items'][number];

/** Members of the document's organization. Not read for the personal one. */
export function useMembers() {
  const shared = useSharedOrganization();
  return useData(organizationRoutes.listMembers, { path: { id: shared?.id ?? '' } }, { enabled: shared !== undefined });
}

/** Whether the organization refuses the session because it requires two-step sign-in. */
export function useIsLocked(): boolean {
  const { error } = useMembers();
  return error !== null && toApiError(error).code === 'SECOND_FACTOR_NOT_ENABLED';
}
