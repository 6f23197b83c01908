import type { ReactNode } from 'react';
import { mayAccess, type OrganizationAccess } from '#contract/organizations/roles.ts';
import { useSharedOrganization } from '../api/organizations.ts';
import { refusalText } from '../lib/roles.ts';
import { Notice } from './notice.tsx';

interface Permission {
  readonly access: OrganizationAccess;
  /** What the role may not do, after "can" in a sentence. */
  readonly what: string;
}

/** Why the member's role may not do something, or undefined if it may. */
export function useRefusal({ access, what }: Permission): string | undefined {
  const organization = useSharedOrganization();
  if (!organization || mayAccess(access, organization.role)) return undefined;
  return refusalText(organization.role, access, what, organization.name);
}

/** Disables the controls inside it if the member's role may not use them. `RoleNotice` tells the reason. */
export function Allowed({ children, ...permission }: Permission & { readonly children: ReactNode }) {
  const refusal = useRefusal(permission);
  return (
    <fieldset disabled={refusal !== undefined} title={refusal} style={{ display: 'contents' }}>
      {children}
    </fieldset>
  );
}

export function RoleNotice(permission: Permission) {
  const refusal = useRefusal(permission);
  return (
    refusal !== undefined && (
      <Notice tone="info" icon="organization">
        {refusal}
      </Notice>
    )
  );
}
