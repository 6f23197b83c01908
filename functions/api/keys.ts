import type { keyRoutes } from '#contract/routes/keys.ts';
import type { CheckedOperation, Operation, OperationCall } from '#runtime/operation.ts';

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

export const setKeyContent: Operation<typeof keyRoutes.setKeyContent> = async ({ keyContents }, call) =>
  (await keyContents()).setDays(readerOf(call), call.input.path.id, call.input.body.days);

export const getRequestContent: Operation<typeof keyRoutes.getRequestContent> = async ({ keyContents }, call) =>
  (await keyContents()).get(readerOf(call), call.input.path.id, call.input.path.requestId);

export const deleteRequestContent: Operation<typeof keyRoutes.deleteRequestContent> = async (
  { keyContents },
  { input: { path }, caller },
) => (await keyContents()).remove({ accountId: caller.accountId, keyId: path.id, requestId: path.requestId });

export const deleteKeyContent: Operation<typeof keyRoutes.deleteKeyContent> = async (
  { keyContents },
  { input, caller },
) => (await keyContents()).removeAll({ accountId: caller.accountId, keyId: input.path.id });

const readerOf = ({
  requestId,
  caller,
}: Pick<OperationCall<typeof keyRoutes.setKeyContent>, 'requestId' | 'caller'>) => ({
  accountId: caller.accountId,
  userId: caller.account.id,
  requestId,
});
