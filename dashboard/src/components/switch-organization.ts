import { t } from '@lingui/core/macro';
import { revokePlaygroundKeys } from '../api/keys.ts';
import { openOrganization } from '../api/organization-choice.ts';
import type { OrganizationRecord } from '../api/organizations.ts';
import { notify } from './notifications.tsx';

/**
 * Opens an organization at a path of the dashboard, by default the current one. Revokes the playground's keys of this
 * organization first.
 */
export async function switchOrganization(
  { id, name, isPersonal }: Pick<OrganizationRecord, 'id' | 'name' | 'isPersonal'>,
  path?: string,
): Promise<void> {
  await revokePlaygroundKeys().catch(() => undefined);
  if (await openOrganization(isPersonal ? null : { id, name }, path)) return;
  notify({ message: t`Organizations cannot be switched, because this browser blocks storage.`, color: 'red' });
}
