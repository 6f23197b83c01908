import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const forgotPassword: Operation<typeof routes.forgotPassword> = ({ passwords }, { input, network }) =>
  passwords().forgot(input.body.email, network);

export const handler = endpoint(routes.forgotPassword, forgotPassword);
