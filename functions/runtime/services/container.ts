import type { QueueId } from '#contract/platform/resources.ts';
import type { Account } from '#domain/accounts/account.ts';
import { googleSignInService, type IdentityTokens } from '#domain/accounts/google-sign-in.ts';
import { passwordService } from '#domain/accounts/passwords.ts';
import { profileService } from '#domain/accounts/profile.ts';
import { registrationService } from '#domain/accounts/registration.ts';
import type { FactorProof } from '#domain/accounts/second-factor.ts';
import { type DeviceNotice, deviceService } from '#domain/accounts/sessions.ts';
import { ownerProofService, signInService } from '#domain/accounts/sign-in.ts';
import { termsService } from '#domain/accounts/terms.ts';
import {
  agentChanges,
  checkouts,
  contentReads,
  paymentRequests,
  tokenCounts,
  uploads,
  keyChanges,
  subscriptionChanges,
  type ThrottleRule,
  throttle,
  webhookChanges,
  webhookSends,
} from '#domain/accounts/throttle.ts';
import { alertService } from '#domain/alerts/alerts.ts';
import { subscriptionService } from '#domain/billing/subscriptions.ts';
import { type KeyNotice, keyService } from '#domain/keys/key-service.ts';
import { isOwner } from '#domain/organizations/organization.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { leakedPasswords } from '#gateways/common-passwords.ts';
import { accountDeletionStore, accountStore } from '#repositories/accounts/accounts.ts';
import { identityStore } from '#repositories/accounts/identities.ts';
import { passwordStore } from '#repositories/accounts/passwords.ts';
import { deviceStore } from '#repositories/accounts/sessions.ts';
import { throttleStore } from '#repositories/accounts/throttles.ts';
import { keyCreators, keyStore } from '#repositories/keys/keys.ts';
import { noteFeedback, outboxStore, suppressionStore } from '#repositories/mail/mail.ts';
import { alertStore } from '#repositories/meter/alerts.ts';
import { sdkMeter } from '#repositories/meter/sdk-meter.ts';
import { lazy, perEnvironment } from '../process.ts';
import { logger } from '../telemetry.ts';
import { createCoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

export type Services = ReturnType<typeof build>;

export const services = perEnvironment(build);

function build() {
  const dynamo = dynamoClient;
  const core = createCoreServices(() => sdkMeter(dynamo()));
  const { environment, clock, random, table, plans, metering: meters } = core;
  const settings = {
    publicOrigin: environment.PUBLIC_ORIGIN,
    scryptLog2Cost: environment.SCRYPT_LOG2_N,
    commonPasswords: leakedPasswords,
    plans,
  };
  const provider = {
    audience: environment.IDENTITY_AUDIENCE,
    issuers: environment.IDENTITY_ISSUERS.split(','),
    keysUrl: environment.IDENTITY_KEYS_URL,
  };
  const loadTokens = lazy(async () => (await import('#gateways/identity-tokens.ts')).identityTokens(provider));
  const identityTokens: IdentityTokens = { verify: async (token, now) => (await loadTokens()).verify(token, now) };
  const identities = lazy(() => identityStore(dynamo(), table('accounts')));
  const accounts = lazy(() => accountStore(dynamo(), table('accounts'), () => table('meters')));
  const passwords = lazy(() => passwordStore(dynamo(), table('accounts')));
  const securityMails = lazy(async () => {
    const { securityNotices } = await import('#domain/accounts/security-mails.ts');
    return securityNotices({ throttle: () => throttles(), random, publicOrigin: settings.publicOrigin });
  });
  const devices = lazy(() => {
    const noticeOf: DeviceNotice = async (...given) => (await securityMails()).ofDevice(...given);
    return deviceService(deviceStore(dynamo(), table('accounts')), noticeOf, clock, random);
  });
  const audioJobs = lazy(async () => (await import('./audio-jobs.ts')).audioJobs(core, enforceUnlessLocal(uploads)));
  const queueOf = (id: QueueId) =>
    lazy(async () => {
      const { sqsClient, sqsQueue } = await import('#gateways/sqs-queue.ts');
      return sqsQueue(sqsClient(), core.queueUrl(id));
    });
  const hasPayments = environment.PAYMENTS !== 'none';
  const paymentQueue = queueOf('payments');
  /** Queues the update of the payment provider's customer, if there is one. */
  const updateCustomer = async (accountId: number): Promise<void> => {
    if (hasPayments) await (await paymentQueue()).send({ do: 'account', accountId }, { group: String(accountId) });
  };
  const queueCustomerUpdate = (accountId: number): Promise<void> =>
    updateCustomer(accountId).catch((error: unknown) =>
      logger().error('the customer of a changed email address could not be queued', { error, accountId }),
    );
  const deletions = lazy(() =>
    accountDeletionStore(
      dynamo(),
      table('accounts'),
      table('meters'),
      async (accountId, signal) => {
        const [{ purgeWebhooks }, { purger }, { purgeMessages }, { purgeResponses }, directory] = await Promise.all([
          import('#repositories/webhooks/webhooks.ts'),
          import('#repositories/agents/purge.ts'),
          import('#repositories/messages/messages.ts'),
          import('#repositories/responses/responses.ts'),
          import('#repositories/operators/directory.ts'),
        ]);
        await (await organizations()).store.endMemberships(accountId);
        await purgeWebhooks(dynamo(), table('webhooks'), accountId, signal);
        await purgeMessages(dynamo(), table('messages'), accountId, signal);
        await purgeResponses(dynamo(), table('responses'), accountId, signal);
        await purger(dynamo(), table('agents')).account(accountId, signal);
        await (await audioJobs()).purge(accountId, signal);
        if (
          environment.CONTENT_BUCKET !== undefined &&
          !(await (await core.contents()).removeAll({ accountId }, signal)).isDone
        )
          signal?.throwIfAborted();
        await directory.removeFromDirectory(dynamo(), table('directory'), accountId);
      },
      updateCustomer,
    ),
  );
  const throttles = lazy(() => throttle(throttleStore(dynamo(), table('accounts')), clock));
  const signIn = lazy(() => signInService(accounts(), passwords(), devices(), throttles(), random, settings));
  const secondFactor = lazy(async () => {
    const [{ secondFactorService }, { secondFactorStore }, { ofChange }] = await Promise.all([
      import('#domain/accounts/second-factor.ts'),
      import('#repositories/accounts/second-factors.ts'),
      securityMails(),
    ]);
    const store = secondFactorStore(dynamo(), table('accounts'));
    return secondFactorService(store, throttles(), devices(), clock, random, ofChange);
  });
  const passkeyStore = lazy(async () => {
    const { passkeyStore } = await import('#repositories/accounts/second-factors.ts');
    return passkeyStore(dynamo(), table('accounts'));
  });
  const enforceUnlessLocal = (rule: ThrottleRule) => async (accountId: number) => {
    if (environment.NETWORK_LIMITS === 'on') await throttles().enforce(rule, String(accountId));
  };
  const findMeter = (accountId: number) => meters().find(accountId);
  const keyRecords = lazy(() => keyStore(dynamo(), table('accounts'), table('meters'), () => table('audit')));
  const keys = lazy(() => {
    const noticeOf: KeyNotice = async (...given) => (await securityMails()).ofKey(...given);
    const parts = { enforceChangeLimit: enforceUnlessLocal(keyChanges), findMeter, noticeOf };
    return keyService(keyRecords(), parts, clock, random);
  });
  const keyContents = lazy(async () => {
    const [{ contentService }, { auditLog }] = await Promise.all([
      import('#domain/requests/stored-content.ts'),
      import('#repositories/operators/audited-writes.ts'),
    ]);
    const record = auditLog(dynamo(), () => table('audit'));
    const enforceReadLimit = enforceUnlessLocal(contentReads);
    return contentService({
      store: core.contents,
      keys: keyRecords(),
      changes: keys(),
      enforceReadLimit,
      record,
      clock,
    });
  });
  const webhookQueues = { normal: queueOf('webhooks'), slow: queueOf('slowWebhooks') };
  const requests = lazy(async () => {
    const { requestStore } = await import('#repositories/requests/requests.ts');
    return requestStore(dynamo(), table('requests'));
  });
  const requirePayments = (): void => {
    if (!hasPayments) throw new ServiceError('INVALID_STATE', 'Payments are not enabled on this service.');
  };
  const orders = lazy(async () => {
    const { paymentStore } = await import('#repositories/payments/payments.ts');
    return paymentStore(dynamo(), table('payments'), () => table('meters'));
  });
  const payments = lazy(async () => {
    requirePayments();
    const { paymentServices } = await import('./payments.ts');
    return paymentServices(core, {
      recipientsOf: async (accountId) =>
        (await import('#repositories/accounts/recipients.ts')).recipientsOf(
          dynamo(),
          table('accounts'),
          accountId,
          'bill',
        ),
      enforceCheckoutLimit: (accountId) => throttles().enforce(checkouts, String(accountId)),
      takeProviderCall: async (accountId) =>
        Math.ceil((await throttles().take(paymentRequests, String(accountId))) / 1000),
      queue: paymentQueue,
    });
  });
  const subscriptions = lazy(() => {
    const enforceChangeLimit = enforceUnlessLocal(subscriptionChanges);
    const planPayments = async () => (hasPayments ? (await payments()).planPayments : undefined);
    return subscriptionService(meters(), { payments: planPayments, enforceChangeLimit }, plans, clock, random);
  });
  const stopCollecting = async (accountId: number): Promise<void> => {
    if (hasPayments) await (await payments()).stopCollecting(accountId);
  };
  const afterDeletion = async (accountId: number): Promise<void> => {
    if (hasPayments) await (await payments()).alignCollection(accountId);
  };
  const organizations = lazy(async () => {
    const { organizationServices } = await import('./organizations.ts');
    const payment = { stopCollecting, afterDeletion, onOwners: queueCustomerUpdate };
    return organizationServices(core, { keys, throttles, ...payment });
  });
  const archiveFiles = lazy(async () => {
    const { ARCHIVE_BUCKET } = environment;
    if (ARCHIVE_BUCKET === undefined)
      throw new Error('ARCHIVE_BUCKET is not set: set it to the bucket of the ledger’s closed months.');
    const { ledgerArchiveFiles } = await import('#gateways/ledger-archive-files.ts');
    return ledgerArchiveFiles(ARCHIVE_BUCKET);
  });
  const archivedRows = lazy(async () => {
    const { archivedLedger } = await import('#repositories/billing/archive.ts');
    return archivedLedger(dynamo(), table('ledger'), archiveFiles);
  });
  const statementReads = lazy(async () => {
    const { statementStore } = await import('#repositories/billing/statements.ts');
    return statementStore(dynamo(), table('ledger'), await archivedRows());
  });
  const statements = lazy(async () => {
    const [{ statementService }, store] = await Promise.all([
      import('#domain/billing/statements.ts'),
      statementReads(),
    ]);
    return statementService(store, keyCreators(dynamo(), table('accounts')), clock);
  });
  const cancellations = lazy(async () => {
    const { cancellationService } = await import('#domain/requests/cancellations.ts');
    return cancellationService(meters(), await statementReads());
  });
  const spendingLimits = lazy(async () => {
    const { spendingLimits: limits } = await import('#domain/billing/spending-limits.ts');
    return limits({ metering: meters, statements: statementReads, clock });
  });
  const suppressions = lazy(() => suppressionStore(dynamo(), table('accounts')));
  const requestsOf = lazy(async () => {
    const [{ requestLog }, { keyNames }, store] = await Promise.all([
      import('#domain/requests/request-log.ts'),
      import('#repositories/keys/keys.ts'),
      requests(),
    ]);
    return requestLog(store, keyNames(dynamo(), table('accounts')), clock);
  });
  return {
    ...core,
    registration: lazy(() => registrationService(accounts(), throttles(), clock, random, settings)),
    signIn,
    googleSignIn: lazy(() => googleSignInService(accounts(), identities(), identityTokens, plans, clock, random)),
    ownerProof: lazy(() => {
      const proveFactor = async (account: Account, proof: FactorProof): Promise<void> => {
        if (account.secondFactorAt !== undefined) await (await secondFactor()).prove(account, 'session', proof);
      };
      return ownerProofService(signIn().prove, identities(), identityTokens, proveFactor, clock);
    }),
    secondFactor,
    accounts,
    securityMails,
    passkeyStore,
    passkeys: lazy(async () => {
      const { passkeyService } = await import('#domain/accounts/passkeys.ts');
      const { ofChange } = await securityMails();
      return passkeyService(await passkeyStore(), throttles(), ofChange, clock, random, settings);
    }),
    devices,
    passwords: lazy(() => passwordService(accounts(), passwords(), throttles(), clock, random, settings)),
    emailChanges: lazy(async () => {
      const [{ emailChangeService }, { emailChangeStore }] = await Promise.all([
        import('#domain/accounts/email-change.ts'),
        import('#repositories/accounts/email-changes.ts'),
      ]);
      const store = emailChangeStore(dynamo(), table('accounts'));
      /** The customers of the organizations have the address of an owner. */
      const onChanged = async (accountId: number): Promise<void> => {
        await queueCustomerUpdate(accountId);
        if (!hasPayments) return;
        const { store: memberships } = await organizations();
        const owned = (await memberships.membershipsOf(accountId)).filter(isOwner);
        for (const { organization } of owned) await queueCustomerUpdate(organization.id);
      };
      return emailChangeService(accounts(), store, throttles(), { meters, onChanged }, clock, random, settings);
    }),
    profile: lazy(() => {
      const leaveOrganizations = async (account: Account) => (await organizations()).management.leaveAll(account);
      const parts = { deletions, meters, throttle: throttles, stopCollecting, afterDeletion, leaveOrganizations };
      return profileService(accounts(), parts, clock, random, settings);
    }),
    organizations,
    accountExport: lazy(async () => {
      const { accountExport } = await import('./account-export.ts');
      return accountExport(core, { statements, audioJobs, organizations });
    }),
    terms: lazy(async () => {
      const { termsStore } = await import('#repositories/operators/audited-writes.ts');
      return termsService(termsStore(dynamo(), { accounts: table('accounts'), audit: table('audit') }), clock);
    }),
    operators: lazy(async () => {
      const { operatorServices } = await import('./operators.ts');
      const stores = { accounts, statements, suppressions, orders };
      const membershipsOf = async (userId: number) => (await organizations()).store.membershipsOf(userId);
      return operatorServices({ ...core, ...stores, membershipsOf, dynamo, keys, subscriptions, requests: requestsOf });
    }),
    keys,
    keyContents,
    spendingLimits,
    alerts: lazy(() => alertService({ store: alertStore(dynamo(), table('meters')), keys: keyRecords(), findMeter })),
    subscriptions,
    payments,
    requirePayments,
    /** Queues payments and accounts that are due. Returns their number. */
    async queueDuePayments(signal: AbortSignal): Promise<number> {
      const [{ queueDue }, store, queue] = await Promise.all([
        import('#domain/payments/order.ts'),
        orders(),
        paymentQueue(),
      ]);
      return queueDue(store, queue, clock.now(), signal);
    },
    ledger: lazy(async () => {
      const [{ projectInOrder, projectLedger }, { ledgerStore }, { meterImageOf }, { laneImageOf }] = await Promise.all(
        [
          import('#domain/billing/ledger.ts'),
          import('#repositories/billing/ledger.ts'),
          import('#repositories/meter/meter-item.ts'),
          import('#repositories/meter/lane-item.ts'),
        ],
      );
      const names = { ledger: table('ledger'), accounts: table('accounts') };
      const store = ledgerStore(dynamo(), names, environment.PUBLIC_ORIGIN, core.sellsCredits);
      const onLow = async (accountId: number): Promise<void> => {
        if (hasPayments) await (await paymentQueue()).send({ do: 'top-up', accountId }, { group: String(accountId) });
      };
      return {
        project: (image: unknown) => projectLedger(store, meterImageOf(image), clock.now(), onLow),
        /** Images of one account. */
        projectInOrder: (images: readonly unknown[]) =>
          projectInOrder(store, images.map(meterImageOf), clock.now(), onLow),
        /** Images of one account's lanes. */
        post: (images: readonly unknown[]) => meters().postCharges(images.map(laneImageOf), clock.now()),
      };
    }),
    ledgerArchiver: lazy(async () => {
      const [{ ledgerArchiver }, { archiveStore }] = await Promise.all([
        import('#domain/billing/archive.ts'),
        import('#repositories/billing/archive.ts'),
      ]);
      return ledgerArchiver(archiveStore(dynamo(), table('ledger'), archiveFiles));
    }),
    ledgerRetry: queueOf('ledgerRetry'),
    mailRetry: queueOf('mailRetry'),
    sweepQueues: { holds: queueOf('holdSweeps'), renewals: queueOf('renewals') },
    webhookQueue: webhookQueues.normal,
    agents: lazy(async () => {
      const { agentServices } = await import('./agents.ts');
      return agentServices(core, enforceUnlessLocal(agentChanges));
    }),
    audioJobs,
    webhooks: lazy(async () => {
      const { webhookServices } = await import('./webhooks.ts');
      return webhookServices(core, webhookQueues, {
        enforceChangeLimit: enforceUnlessLocal(webhookChanges),
        enforceSendLimit: (accountId) => throttles().enforce(webhookSends, String(accountId)),
      });
    }),
    responses: lazy(async () => (await import('./responses.ts')).storedResponses(core, cancellations)),
    messages: lazy(async () => {
      const { messageServices } = await import('./messages.ts');
      return messageServices(core);
    }),
    auditor: lazy(async () => {
      const [{ auditor }, { auditReads }] = await Promise.all([
        import('#domain/billing/auditor.ts'),
        import('#repositories/billing/audit-reads.ts'),
      ]);
      return auditor(auditReads(dynamo(), table('meters'), table('ledger'), await archivedRows()));
    }),
    statements,
    enforceTokenCountLimit: enforceUnlessLocal(tokenCounts),
    cancellations,
    requests,
    requestLog: requestsOf,
    outbox: lazy(() => outboxStore(dynamo(), table('accounts'))),
    suppressions,
    noteFeedback: lazy(() => noteFeedback(dynamo(), table('accounts'))),
    mailer: lazy(async () => {
      const { sesClient, sesMailer } = await import('#gateways/ses-mailer.ts');
      return sesMailer(sesClient(), {
        sender: environment.MAIL_SENDER,
        configurationSet: environment.MAIL_CONFIGURATION_SET,
      });
    }),
  };
}
