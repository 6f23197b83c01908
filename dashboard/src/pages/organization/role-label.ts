import { t } from '@lingui/core/macro';
import type { OrganizationRole } from '#contract/organizations/roles.ts';
import { roleTexts, roleTitles } from '../../lib/roles.ts';

/** "Admin: members, API keys, webhooks and agents". */
export const roleLabel = (role: OrganizationRole): string =>
  t`${{ role: roleTitles[role] }}: ${{ rights: roleTexts[role] }}`;
