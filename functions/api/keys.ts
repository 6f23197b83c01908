import type { keyRoutes } from '#contract/routes/keys.ts';
import type { CheckedOperation, Operation } from '#runtime/operation.ts';

export const changeKey: CheckedOperation<typeof keyRoutes.changeKey> = {
  check: ({ keys }, { input }) => keys().checkExpiry(input.body.expiresAt),
  run: ({ keys }, { input, caller }) => keys().change(caller.accountId, input.path.id, input.body),
};

export const createKey: CheckedOperation<typeof keyRoutes.createKey> = {
  check: ({ keys }, { input }) => keys().checkExpiry(input.body.expiresAt),
  run: ({ keys }, { input, caller }) => keys().create(caller.account, input.body, caller.accountId),
};

export const listKeys: Operation<typeof keyRoutes.listKeys> = ({ keys }, { caller }) => keys().list(caller.accountId);

export const revokeKey: Operation<typeof keyRoutes.revokeKey> = ({ keys }, { input, caller }) =>
  keys().revoke(caller.accountId, input.path.id);

export const rotateKey: Operation<typeof keyRoutes.rotateKey> = ({ keys }, { input, caller }) =>
  keys().rotate(caller.account, input.path.id, input.body.graceSeconds, caller.accountId);
