import type { accountRoutes } from '#contract/routes/accounts.ts';
import type { passwordRoutes, signInRoutes } from '#contract/routes/sign-in.ts';
import { iso } from '#contract/shared/time.ts';
import type { Account } from '#domain/accounts/account.ts';
import { emailChangeView } from '#domain/accounts/email-change.ts';
import { termsView } from '#domain/accounts/terms.ts';
import { isSubscribed } from '#domain/meter/meter.ts';
import type { CheckedOperation, Operation, SessionCall } from '#runtime/operation.ts';
import type { Services } from '#runtime/services/container.ts';
import { beginSession, signedIn } from '#runtime/session.ts';

export const acceptTerms: Operation<typeof accountRoutes.acceptTerms> = async (
  { terms },
  { input, caller, requestId },
) => (await terms()).accept(caller.account, input.body.version, requestId);

export const cancelEmailChange: Operation<typeof accountRoutes.cancelEmailChange> = async (
  { emailChanges },
  { caller },
) => (await emailChanges()).cancel(caller.account);

export const changeProfile: Operation<typeof accountRoutes.changeProfile> = ({ profile }, { input, caller }) => {
  const { name, language } = input.body;
  return profile().change(caller.account, { ...(name !== undefined && { name }), ...(language && { language }) });
};

export const confirm: Operation<typeof accountRoutes.confirm> = ({ registration }, { input, caller }) =>
  registration().confirm(caller.accountId, input.query.token);

/** The token alone authorizes the decision. A completed change ends all sessions, so this browser gets a new one. */
export const decideEmailChange: Operation<typeof accountRoutes.decideEmailChange> = async (services, call) => {
  const { caller } = call;
  const { token, decision } = call.input.body;
  const { account, isCompletion, ...decided } = await (await services.emailChanges()).decide(token, decision);
  if (isCompletion && caller?.accountId === account.id) {
    await beginSession(services, call, account);
  }
  return decided;
};

export const deleteAccount: Operation<typeof accountRoutes.deleteAccount> = async (
  services,
  { input, caller, setSession },
) => {
  const { email, ...proof } = input.body;
  await services.profile().remove(caller.account, email, (account) => services.ownerProof().require(account, proof));
  setSession('ended');
};

export const exportAccount: Operation<typeof accountRoutes.exportAccount> = async (services, { input, caller }) =>
  (await services.accountExport()).page(caller.account, input.query.cursor);

export const getMailPreferences: Operation<typeof accountRoutes.getMailPreferences> = ({ profile }, { caller }) =>
  profile().mailPreferences(caller.account);

export const setMailPreferences: Operation<typeof accountRoutes.setMailPreferences> = (
  { profile },
  { input, caller },
) => profile().setMailPreferences(caller.accountId, input.body);

export const me: Operation<typeof accountRoutes.me> = async ({ profile, metering, clock }, { caller }) => {
  const account = caller.kind === 'session' ? caller.account : await profile().ofKey(caller.accountId);
  const now = clock.now();
  const meter = await metering().current(caller.accountId, now);
  return {
    ...account,
    isSubscribe: isSubscribed(meter),
    created_at: iso(account.createdAt),
    isConfirmed: account.confirmedAt !== undefined,
    hasPassword: account.passwordHash !== undefined,
    hasSecondFactor: account.secondFactorAt !== undefined,
    emailChange: caller.kind === 'session' ? emailChangeView(account, now) : null,
    terms: termsView(account),
  };
};

export const changePassword: CheckedOperation<typeof passwordRoutes.changePassword> = {
  check: async ({ passwords }, { input, caller }) => {
    if (caller?.kind === 'session') await passwords().checkNew(caller.account, input.body.newPassword);
  },
  run: async (services, call) => {
    const { caller } = call;
    const { currentPassword: password, identityToken, newPassword } = call.input.body;
    await services.ownerProof().requireFirst(caller.account, { password, identityToken });
    const sessionsValidFrom = await services.passwords().change(caller.account, newPassword);
    // A later change of the ways to sign in ends this session too.
    const account = { ...(await services.profile().get(caller.accountId)), sessionsValidFrom };
    await beginSession(services, call, account, { provedIn: caller.session });
  },
};

export const forgotPassword: Operation<typeof passwordRoutes.forgotPassword> = ({ passwords }, { input, network }) =>
  passwords().forgot(input.body.email, network);

/** Registers the device, so that failed guesses of other clients do not block the next sign-in. */
export const resetPassword: Operation<typeof passwordRoutes.resetPassword> = async (
  { passwords, secondFactor, devices },
  { input, device, setDevice },
) => {
  const { token, newPassword, ...proof } = input.body;
  const prove = async (account: Account): Promise<void> => {
    if (account.secondFactorAt !== undefined) await (await secondFactor()).prove(account, 'reset', proof);
  };
  const account = await passwords().reset(token, newPassword, prove);
  setDevice(await devices().remember(account, device));
};

export const requestEmailChange: CheckedOperation<typeof accountRoutes.requestEmailChange> = {
  /** Runs before the password check, so that an invalid request does not count as a guess. */
  check: async ({ emailChanges }, { input, caller }) => {
    if (caller?.kind === 'session') (await emailChanges()).check(caller.account, input.body.email);
  },
  run: async (services, { input, caller: { account }, network }) => {
    const { email, ...proof } = input.body;
    await services.ownerProof().require(account, proof);
    await (await services.emailChanges()).request(account, email, network);
  },
};

export const resendConfirmation: Operation<typeof accountRoutes.resendConfirmation> = (
  { registration },
  { caller, network },
) => registration().resendConfirmation(caller.account, network);

export const endSession: Operation<typeof signInRoutes.endSession> = ({ sessions }, { input, caller }) =>
  sessions().endOther(caller.account, input.path.id, caller.session);

export const listSessions: Operation<typeof signInRoutes.listSessions> = ({ sessions }, { caller }) =>
  sessions().list(caller.account, caller.session);

export const loginWithGoogle: Operation<typeof signInRoutes.loginWithGoogle> = async (services, call) => {
  const startedAt = services.clock.now();
  const { token, language } = call.input.body;
  const account = await services.googleSignIn().signIn(token, call.caller?.account, language);
  const provedIn = call.caller?.accountId === account.id ? call.caller.session : undefined;
  if (!provedIn) await requireSecondFactor(services, call, account);
  await beginSession(services, call, account, { announces: account.createdAt < startedAt, provedIn });
  return account;
};

export const login: Operation<typeof signInRoutes.login> = async (services, call) => {
  const { email, password } = call.input.body;
  const account = await services.signIn().signIn(email, password, call);
  await requireSecondFactor(services, call, account);
  return signedIn(services, call, account);
};

export const logout: Operation<typeof signInRoutes.logout> = async ({ sessions }, { caller, setSession }) => {
  if (caller.kind === 'session') await sessions().end(caller.session);
  setSession('ended');
};

/** `password_hash` contains the chosen password (docs/specification.md#management-interface-base_url). */
export const register: Operation<typeof signInRoutes.register> = async (services, call) => {
  const { email, name, password_hash: password, language } = call.input.body;
  const account = await services.registration().register({ email, name, password, language }, call.network);
  await beginSession(services, call, account);
  return account;
};

/** Refuses the first step of an account with a second factor, and lets the browser continue with the second step. */
async function requireSecondFactor(
  { secondFactor }: Services,
  { setPendingSignIn }: SessionCall,
  account: Account,
): Promise<void> {
  if (account.secondFactorAt === undefined) return;
  const { begin, required } = await secondFactor();
  setPendingSignIn(await begin(account));
  throw required();
}
