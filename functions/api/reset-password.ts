import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const resetPassword: Operation<typeof routes.resetPassword> = ({ passwords }, { input }) =>
  passwords().reset(input.body.token, input.body.newPassword);

export const handler = endpoint(routes.resetPassword, resetPassword);
