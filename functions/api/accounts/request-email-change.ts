import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { InputCheck, Operation } from '#runtime/endpoints/operation.ts';

const requestEmailChange: Operation<typeof accountRoutes.requestEmailChange> = async (
  services,
  { input, caller: { account }, network },
) => {
  const { email, ...proof } = input.body;
  await services.ownerProof().demand(account, proof);
  await services.emailChanges().request(account, email, network);
};

/** Before the password is looked at: a bad request is no guess. */
const checkAddress: InputCheck<typeof accountRoutes.requestEmailChange> = ({ emailChanges }, { input, caller }) => {
  if (caller?.kind === 'session') emailChanges().check(caller.account, input.body.email);
};

export const handler = endpoint(accountRoutes.requestEmailChange, requestEmailChange, checkAddress);
