import { passwordRoutes } from '#contract/routes/accounts/passwords.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const forgotPassword: Operation<typeof passwordRoutes.forgotPassword> = ({ passwords }, { input, network }) =>
  passwords().forgot(input.body.email, network);

export const handler = endpoint(passwordRoutes.forgotPassword, forgotPassword);
