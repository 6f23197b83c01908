import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const deleteAccount: Operation<typeof accountRoutes.deleteAccount> = async (
  services,
  { input, caller, setSession },
) => {
  const { email, password = '' } = input.body;
  await services.profile().remove(caller.account, email, (account) => services.signIn().prove(account, password));
  setSession('ended');
};

export const handler = endpoint(accountRoutes.deleteAccount, deleteAccount);
