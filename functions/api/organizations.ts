import type { organizationRoutes } from '#contract/routes/organizations.ts';
import type { Operation } from '#runtime/operation.ts';

export const listOrganizations: Operation<typeof organizationRoutes.listOrganizations> = async (
  { organizations },
  { caller },
) => (await organizations()).management.list(caller.account);

export const createOrganization: Operation<typeof organizationRoutes.createOrganization> = async (
  { organizations },
  { input, caller },
) => (await organizations()).management.create(caller.account, input.body.name);

export const getOrganization: Operation<typeof organizationRoutes.getOrganization> = async (
  { organizations },
  { caller },
) => (await organizations()).management.get(caller);

export const renameOrganization: Operation<typeof organizationRoutes.renameOrganization> = async (
  { organizations },
  { input, caller },
) => (await organizations()).management.rename(caller, input.body.name);

export const requireSecondFactor: Operation<typeof organizationRoutes.requireSecondFactor> = async (
  { organizations },
  { input, caller, requestId },
) => (await organizations()).management.requireSecondFactor(caller, input.body.required, requestId);

export const deleteOrganization: Operation<typeof organizationRoutes.deleteOrganization> = async (
  { organizations },
  { caller },
) => (await organizations()).management.remove(caller);

export const listMembers: Operation<typeof organizationRoutes.listMembers> = async ({ organizations }, { caller }) =>
  (await organizations()).management.members(caller);

export const changeMember: Operation<typeof organizationRoutes.changeMember> = async (
  { organizations },
  { input, caller },
) => (await organizations()).management.changeMember(caller, input.path.userId, input.body.role);

export const removeMember: Operation<typeof organizationRoutes.removeMember> = async (
  { organizations },
  { input, caller },
) => {
  const { management } = await organizations();
  await management.removeMember(caller, input.path.userId, input.query.revokeKeys === 'true');
};

export const listInvitations: Operation<typeof organizationRoutes.listInvitations> = async (
  { organizations },
  { caller },
) => (await organizations()).invitations.list(caller);

export const createInvitation: Operation<typeof organizationRoutes.createInvitation> = async (
  { organizations },
  { input, caller },
) => (await organizations()).invitations.invite(caller, input.body.email, input.body.role);

export const withdrawInvitation: Operation<typeof organizationRoutes.withdrawInvitation> = async (
  { organizations },
  { input, caller },
) => (await organizations()).invitations.withdraw(caller, input.path.invitationId);

export const acceptInvitation: Operation<typeof organizationRoutes.acceptInvitation> = async (
  { organizations },
  { input, caller },
) => (await organizations()).invitations.accept(caller.account, input.body.token);
