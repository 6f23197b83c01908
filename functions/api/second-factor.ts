import type { secondFactorRoutes } from '#contract/routes/second-factor.ts';
import type { OwnerProof } from '#domain/accounts/sign-in.ts';
import type { Operation, OperationCall } from '#runtime/operation.ts';
import type { Services } from '#runtime/services/container.ts';
import { beginSession, signedIn } from '#runtime/session.ts';

type Routes = typeof secondFactorRoutes;

export const completeSignIn: Operation<Routes['completeSignIn']> = async (services, call) => {
  const { pendingSignIn, device, input } = call;
  const account = await (await services.secondFactor()).finish(pendingSignIn, device, input.body);
  const user = await signedIn(services, call, account);
  call.setPendingSignIn('ended');
  return user;
};

export const setUpTotp: Operation<Routes['setUpTotp']> = async (services, { input, caller }) => {
  await requireRecentOwner(services, caller, input.body);
  return (await services.secondFactor()).setUp(caller.account);
};

export const confirmTotp: Operation<Routes['confirmTotp']> = async (services, call) => {
  const recoveryCodes = await (await services.secondFactor()).confirm(call.caller.account, call.input.body.code);
  await beginSession(services, call, await services.profile().get(call.caller.accountId));
  return { recoveryCodes: [...recoveryCodes] };
};

export const deleteTotp: Operation<Routes['deleteTotp']> = async (services, call) => {
  await (await services.secondFactor()).turnOff(call.caller.account, call.input.body);
  await beginSession(services, call, await services.profile().get(call.caller.accountId));
};

export const passkeyOptions: Operation<Routes['passkeyOptions']> = async (services, { input, caller, network }) => {
  if (!caller) return (await services.passkeys()).requestOptions(network);
  await requireRecentOwner(services, caller, input.body);
  return (await services.passkeys()).creationOptions(caller.account);
};

export const listPasskeys: Operation<Routes['listPasskeys']> = async (services, { caller }) =>
  (await services.passkeys()).list(caller.account);

export const deletePasskey: Operation<Routes['deletePasskey']> = async (services, call) => {
  const { input, caller } = call;
  await requireRecentOwner(services, caller, input.body);
  await (await services.passkeys()).remove(caller.account, input.path.id);
  await beginSession(services, call, await services.profile().get(caller.accountId));
};

/** Proves the owner by what the body contains, or by a session that has just been opened. */
async function requireRecentOwner(
  { sessions, ownerProof }: Services,
  { account, session }: OperationCall<Routes['setUpTotp']>['caller'],
  proof: OwnerProof,
): Promise<void> {
  const isGiven = proof.password !== undefined || proof.identityToken !== undefined;
  await (isGiven ? ownerProof().require(account, proof) : sessions().requireRecent(session));
}
