import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

/** The token is what decides. A completed change ends all sessions: the browser that completes it in one goes on in another. */
const decideEmailChange: Operation<typeof accountRoutes.decideEmailChange> = async (
  services,
  { input, caller, device, origin, setSession, setDevice },
) => {
  const { token, decision } = input.body;
  const { account, isCompletion, ...decided } = await services.emailChanges().decide(token, decision);
  if (isCompletion && caller?.accountId === account.id) {
    setSession(await services.sessions().open(account, origin));
    setDevice(await services.devices().remember(account, device));
  }
  return decided;
};

export const handler = endpoint(accountRoutes.decideEmailChange, decideEmailChange);
