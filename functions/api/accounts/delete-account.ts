import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const deleteAccount: Operation<typeof accountRoutes.deleteAccount> = async (
  services,
  { input, caller, setSession },
) => {
  const { email, ...proof } = input.body;
  await services.profile().remove(caller.account, email, (account) => services.ownerProof().demand(account, proof));
  setSession('ended');
};

export const handler = endpoint(accountRoutes.deleteAccount, deleteAccount);
