import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { InputCheck, Operation } from '#runtime/endpoints/operation.ts';

/** Who has a session must also show who they are: by the password, or by having signed in just now where there is none. */
const requestEmailChange: Operation<typeof accountRoutes.requestEmailChange> = async (
  services,
  { input, caller: { account, session }, network },
) => {
  const { email, password = '' } = input.body;
  if (account.passwordHash === undefined) await services.sessions().demandRecent(session);
  else await services.signIn().prove(account, password);
  await services.emailChanges().request(account, email, network);
};

/** Before the password is looked at: a bad request is no guess. */
const checkAddress: InputCheck<typeof accountRoutes.requestEmailChange> = ({ emailChanges }, { input, caller }) => {
  if (caller?.kind === 'session') emailChanges().check(caller.account, input.body.email);
};

export const handler = endpoint(accountRoutes.requestEmailChange, requestEmailChange, checkAddress);
