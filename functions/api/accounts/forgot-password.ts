import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const forgotPassword: Operation<typeof accountRoutes.forgotPassword> = ({ passwords }, { input, network }) =>
  passwords().forgot(input.body.email, network);

export const handler = endpoint(accountRoutes.forgotPassword, forgotPassword);
