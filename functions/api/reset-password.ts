import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const resetPassword: Operation<typeof accountRoutes.resetPassword> = ({ passwords }, { input }) =>
  passwords().reset(input.body.token, input.body.newPassword);

export const handler = endpoint(accountRoutes.resetPassword, resetPassword);
