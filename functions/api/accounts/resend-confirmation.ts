import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const resendConfirmation: Operation<typeof accountRoutes.resendConfirmation> = (
  { registration },
  { caller, network },
) => registration().resendConfirmation(caller.account, network);

export const handler = endpoint(accountRoutes.resendConfirmation, resendConfirmation);
