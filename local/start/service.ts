import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { offer } from '#contract/offer/current-offer.ts';
import { type TableSpec, tables } from '#contract/platform/resources.ts';
import { allRoutes, routes, unknownRouteId } from '#contract/routes.ts';
import { ambient, environment, resetEnvironment } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { missingFromOffer } from '#runtime/services/offer-use.ts';
import { createAdmin, type Status, statusOf } from '../admin/admin.ts';
import { type DemoAccount, openDemoAccount } from '../admin/demo-account.ts';
import { openIdentityIssuer } from '../admin/identity-issuer.ts';
import { type Database, startDatabase } from '../dynamodb/database.ts';
import { type DirectRequests, directRequests } from '../dynamodb/dynamodb-proxy.ts';
import { apiHandler, installLambdaRuntime } from '../gateway/lambda.ts';
import { createGate, startFrontServer } from '../gateway/socket.ts';
import { startBackground } from '../jobs/background.ts';
import { createEventBus, createLogSubscription } from '../jobs/triggers.ts';
import { type MailStore, openMailStore } from '../mail/inbox.ts';
import { Receipts } from '../messages/carrier.ts';
import { openPhoneStore, phoneCalls } from '../messages/phones.ts';
import { buildDashboard, openDashboard } from '../pages/dashboard.ts';
import { openFileStore } from '../s3/file-store.ts';
import { Inference } from '../sagemaker/async-inference.ts';
import { openClock, type ShiftedClock } from '../shared/clock.ts';
import { type Closers, createClosers } from '../shared/closers.ts';
import { type DataFolder, openDataFolder, openPending, writeJsonFile } from '../shared/data-folder.ts';
import { createFaults, type Faults } from '../shared/faults.ts';
import { dataFolderProblem, Problem, systemCode } from '../shared/problems.ts';
import { openQueues } from '../sqs/server.ts';
import { externalEndpoints, setCredentials, setFunctionVariables } from './environment.ts';
import { createEngine, demoFormats, type ServiceOptions, startStandIns, warnOfSilence } from './stand-ins.ts';
import { databaseFile, databaseUrlFile } from './stored-database.ts';

/** The whole system on one machine (docs/architecture.md#on-one-machine). */
export interface Service {
  readonly origin: string;
  readonly status: Status;
  /** Resolves when the jobs have processed the streams' current records and the messages and events that resulted. */
  settled(): Promise<void>;
  /** Resolves with a Problem if the service cannot continue. Close it then. */
  readonly died: Promise<Problem>;
  /**
   * Waits up to 5 s for pending requests and 2 s more for functions without a client, then closes everything, the
   * database last.
   */
  close(): Promise<void>;
}

const graceMs = 5000;

/** Stored prompts and responses, at most about 1 GB. */
const maxContents = 2000;
const specs: readonly TableSpec[] = Object.values(tables);

/**
 * Starts the service and resolves when it is ready. Sets environment variables and restores them on close, so that
 * several services can run in succession in one process. Rejects with a Problem if the user can solve the cause, and
 * leaves nothing running.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const closers = createClosers();
  try {
    const folder = await openDataFolder(options.data, options.log ?? (() => undefined));
    closers.add({ close: () => folder.release() });
    return await start(options, folder, closers);
  } catch (error) {
    await closers.closeAll().catch(() => undefined);
    throw dataFolderProblem(options.data, error);
  }
}

async function start(options: ServiceOptions, folder: DataFolder, closers: Closers): Promise<Service> {
  const { log = () => undefined, port, access, corsOrigins = [], onDynamoRequest: onRequest } = options;
  const external = externalEndpoints();
  closers.add({ close: setCredentials(external) });
  const clock = await openClock(folder.file('clock.json'));
  const mails = await openMailStore(folder.file('mails.jsonl')).catch(damagedMails);
  const phones = await openPhoneStore(folder.file('phones.json'));
  const queues = openQueues(folder.file('queues.sqlite'), clock.now);
  closers.add(queues);
  const files = openFileStore(folder.file('audio'), { now: clock.now });
  const contents = openFileStore(folder.file('contents'), { now: clock.now, maxObjects: maxContents });
  const faults = createFaults();

  // Binds the port first: all URLs contain it, and a port in use is reported before anything else starts.
  const gate = createGate();
  const { handlerOf, pages } = gate;
  const wrote = new EventEmitter();
  const onWrite = () => wrote.emit('write');
  const front = await startFrontServer({
    port,
    routes: allRoutes,
    handlerOf,
    pages,
    corsOrigins: new Set([corsOrigins].flat()),
    log,
    ...(access && { access }),
    onEnd: onWrite,
  });
  closers.add(front);
  const [database, issuer] = await Promise.all([
    openDatabase(folder, options.databaseUrl ?? external.dynamodb, closers),
    openIdentityIssuer(folder.file('identity-key.json'), front.origin, clock.now),
    loadHandlers(),
    options.buildDashboard && buildDashboard(log, closers),
  ]);
  const proxy = { upstream: database.url, faults, ...(onRequest && { onRequest }), onWrite };
  const events = createEventBus(log);
  const engine = createEngine(options, closers);
  void warnOfSilence(options);
  const { endpoints, resume } = await startStandIns(
    {
      proxy,
      external,
      faults,
      mails,
      phones,
      queues,
      files,
      archive: openFileStore(folder.file('archive'), { now: clock.now }),
      contents,
      inferences: openPending(folder.file('inferences'), Inference),
      receipts: openPending(folder.file('receipts'), Receipts),
      pageOrigins: originsOf(front.origin),
      engine,
      receiptDelayMs: options.receiptDelayMs,
      now: clock.now,
      publish: events.publish,
    },
    closers,
  );
  const stripe = options.payments === 'stripe' ? await openStripe(folder, front.origin, clock.now, log) : undefined;
  if (stripe) closers.add(stripe);
  closers.add({ close: setFunctionVariables(front.origin, endpoints, stripe, corsOrigins) });
  closers.add({ close: setAmbientClock(clock) });
  if (!onRequest && database.file) {
    const direct = directRequests({ proxy: endpoints.dynamodb, url: database.url, faults, onWrite });
    closers.add(direct);
    closers.add({ close: setAmbientDatabase(endpoints.dynamodb, database.url, faults, direct) });
  }
  closers.add(events);
  const logLines = createLogSubscription(log);
  closers.add(logLines);
  closers.add({ close: setAmbientFollower(logLines.follow) });
  const background = await startBackground(
    {
      database,
      queues,
      folder,
      stores: [files, contents],
      events,
      logLines,
      hasCanary: options.canary === true,
      stripe,
      now: clock.now,
      log,
    },
    closers,
  );

  wrote.on('write', background.wake);
  await resume();

  let current: Pick<Status, 'ready' | 'demo'> = { ready: false, demo: null };
  const status = (): Status => statusOf(front.origin, { ...current, parked: queues.parked() });
  const admin = createAdmin({
    status,
    mails,
    phones,
    calls: phoneCalls(phones, engine),
    faults,
    clock,
    issuer,
    stripe,
    afterMove: background.catchUp,
    passStop: background.passStop,
    settled: background.settled,
    log,
  });
  const dashboard = await openDashboard({
    origin: front.origin,
    sessionCookie: environment().SESSION_COOKIE,
    storage: endpoints.s3,
    demoSpeechFormats: demoFormats(options),
    planTable: environment().PLAN_TABLE,
    payments: environment().PAYMENTS === 'stripe',
  });
  const sites = [admin, dashboard];
  gate.open((...parameters) => sites.some((serves) => serves(...parameters)));
  current = { ready: true, demo: await openDemo(front.origin, folder, mails, log) };

  async function close(): Promise<void> {
    background.stopWaiting();
    await front.close(graceMs);
    await closers.closeAll();
  }

  return { origin: front.origin, status: status(), settled: background.settled, died: database.died, close };
}

/** Before the dashboard is built, which takes longer, and before jobs renew subscriptions by the new offer. */
async function refuseGaps({ url }: Database): Promise<void> {
  const client = new DynamoDBClient({ endpoint: url });
  try {
    const names = { meters: tables.meters.name, agents: tables.agents.name };
    const signal = new AbortController().signal;
    const { missing } = await missingFromOffer(DynamoDBDocumentClient.from(client), names, offer, signal);
    if (missing !== undefined) throw new Problem(`${missing} Or use another data folder (--data).`, 2);
  } finally {
    client.destroy();
  }
}

async function openDatabase(folder: DataFolder, external: string | undefined, closers: Closers): Promise<Database> {
  const database = await startDatabase({ file: folder.file(databaseFile), external, tables: specs });
  closers.add(database);
  await writeJsonFile(folder.file(databaseUrlFile), { url: database.url });
  closers.add({ close: () => rm(folder.file(databaseUrlFile), { force: true }) });
  await refuseGaps(database);
  return database;
}

/** Loads every handler, so that no first request waits. Requests to a handler that failed to load fail. */
async function loadHandlers(): Promise<void> {
  installLambdaRuntime();
  await Promise.allSettled([...allRoutes.map(({ id }) => apiHandler(id)), apiHandler(unknownRouteId)]);
}

/** The dashboard is served under both names of the machine. */
function originsOf(origin: string): readonly string[] {
  const { port } = new URL(origin);
  return ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${port}`);
}

/** A new secret for each run, so that only this stand-in's events are accepted. */
async function openStripe(folder: DataFolder, origin: string, now: () => number, log: (line: string) => void) {
  const { startStripe } = await import('../payments/stripe.ts');
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const sendEvents = { url: () => `${origin}${routes.receiveStripeEvent.path}`, secret };
  return startStripe({ now, file: folder.file('payments.sqlite'), sendEvents, log });
}

function damagedMails(error: unknown): never {
  if (systemCode(error) !== undefined || !(error instanceof Error)) throw error;
  throw new Problem(`The stored emails cannot be read: ${error.message}`, 1, { cause: error });
}

/** Sets the functions' clock, and starts the hours of hourly jobs now. Returns a function that restores both. */
function setAmbientClock(clock: ShiftedClock): () => void {
  const { clock: before } = ambient;
  const started = Date.now();
  ambient.hourlyOffsetMs = () => started + clock.now() - Date.now();
  const use = (current: Pick<ShiftedClock, 'now'>): void => {
    ambient.clock = current;
    resetEnvironment();
  };
  use(clock);
  return () => {
    delete ambient.hourlyOffsetMs;
    use(before);
  };
}

/** Makes functions bypass the database proxy, which only adds faults. Returns a function that restores it. */
function setAmbientDatabase(proxy: string, url: string, faults: Faults, { adapt }: DirectRequests): () => void {
  ambient.adaptDatabaseClient = adapt;
  ambient.databaseOf = (origin) => (origin === proxy && !faults.isOrdered('dynamodb') ? url : origin);
  return () => {
    delete ambient.databaseOf;
    delete ambient.adaptDatabaseClient;
  };
}

/** Subscribes to the functions' log records. Returns a function that unsubscribes. */
function setAmbientFollower(follow: (line: string) => void): () => void {
  ambient.followRecords = follow;
  return () => {
    delete ambient.followRecords;
  };
}

/** The service also works without a demo account, so a changed password is only logged. */
async function openDemo(
  origin: string,
  folder: DataFolder,
  mails: MailStore,
  log: (line: string) => void,
): Promise<DemoAccount | null> {
  const startPlan = (id: number, rank: number): Promise<void> => services().subscriptions().assign(id, String(rank));
  try {
    return await openDemoAccount({ origin, file: folder.file('demo.json'), mails, startPlan });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log(error.message);
    return null;
  }
}
