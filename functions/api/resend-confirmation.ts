import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const resendConfirmation: Operation<typeof routes.resendConfirmation> = ({ registration }, { caller, network }) =>
  registration().resendConfirmation(caller.account, network);

export const handler = endpoint(routes.resendConfirmation, resendConfirmation);
