import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { routes } from '#contract/routes.ts';
import { type Sample, samples, silence } from '#contract/samples.ts';
import { startService } from '#local/start/service.ts';
import { ambient } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { mailsSent } from '../requests/accounts/inbox.ts';
import { storeContent } from './content-operations.ts';
import { formOf, type OperationResponse, read } from './operation-response.ts';
import { manageSecondFactor } from './second-factor-operations.ts';
import { openSilentStream } from './silent-stream.ts';

/** Credential of the caller, and fields of the sample that name existing resources. */
interface Call extends Sample {
  readonly key?: string;
  readonly cookie?: string;
  /** A body that is sent as it is, with Stripe's signature. */
  readonly raw?: { readonly payload: string; readonly signature: string };
}

/** Time of the service's clock: ahead so that it can be set, and only months, because each month renews the demo account. */
const startsAt = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 0, 15, 9));
/** The subscription starts 10 minutes later, and is upgraded after 15 days. */
const subscribedAt = new Date(startsAt.getTime() + 600_000);
const upgradedAt = new Date(subscribedAt.getTime() + 15 * 86_400_000);

/** Delays receipts until after the last request. */
const neverMs = 3_600_000;

const Envelope = v.object({ data: v.unknown() });

export type Caller = ReturnType<typeof caller>;
type Service = Awaited<ReturnType<typeof startService>>;

const email = 'sample@example.com';
const Created = v.object({ id: v.pipe(v.union([v.string(), v.number()]), v.transform(String)) });
const CreatedResponse = v.object({ id: v.string() });
const CreatedUpload = v.object({ id: v.string(), url: v.string(), fields: v.record(v.string(), v.string()) });
const CreatedJob = v.object({ data: v.object({ status: v.string() }) });
const CreatedKey = v.object({ ...Created.entries, key: v.string() });
const Sessions = v.array(v.object({ id: v.string(), current: v.boolean() }));
const Mails = v.array(v.object({ to: v.array(v.string()), text: v.string() }));

/**
 * Starts the service on an empty folder, sends the sample of every operation, each after the operations that it needs, and
 * returns the first response of each by route id. Throws for an error response.
 */
export async function callEveryOperation(): Promise<ReadonlyMap<string, OperationResponse>> {
  const data = await mkdtemp(join(tmpdir(), 'operations-'));
  const service = await startService({ port: 0, data, wordDelayMs: 0, receiptDelayMs: neverMs, payments: 'stripe' });
  try {
    await moveClock(service, { now: startsAt.toISOString() });
    const calls = caller(service.origin);
    const key = await openAccount(service, calls);
    await useModels(service, calls, key);
    await transcribeLongAudio(service, calls, key);
    await manageKeys(calls);
    await manageOrganizations(service, calls);
    await changeEmail(service, calls);
    await manageSecondFactor(service.origin, calls);
    await manageSubscription(service, calls, key);
    await managePayments(calls, key);
    await useAgents(service, calls, key);
    await sendMessages(calls, key);
    await service.settled();
    await manageWebhooks(service, calls, key);
    await operate(service, calls);
    const silent = await openSilentStream(service.origin, key);
    await calls.send('cancelResponse', { key, path: { id: `resp_${silent.requestId}` } });
    await silent.ended;
    await leave(service, calls);
    return calls.responses;
  } finally {
    await service.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function openAccount(service: Service, { send }: Caller): Promise<string> {
  const { cookie } = await send('register');
  await send('resendConfirmation', { cookie });
  await send('confirm', { cookie, query: { token: await mailedToken(service) } });
  await send('me', { cookie });
  await service.settled();
  await send('exportAccount', { cookie });
  const { key } = v.parse(CreatedKey, (await send('createKey', { cookie })).data);
  await send('listPlans', { key });
  await moveClock(service, { now: subscribedAt.toISOString() });
  await send('listPacks', { key });
  const { id } = v.parse(Created, (await send('createCheckout', { key })).data);
  await post(service, `payments/${id}`, { outcome: 'paid' });
  await send('getPayment', { key, path: { id } });
  await send('createSubscription', { key });
  return key;
}

async function useModels(service: Service, { send, inTurn }: Caller, key: string): Promise<void> {
  await inTurn(['listModels', 'listServices', 'translate', 'analyze', 'listVoices', 'createSpeech'], { key });
  await inTurn(['createOpenAiSpeech', 'createTranscription', 'createOpenAiTranscription', 'createOpenAiTranslation'], {
    key,
  });
  const { id } = v.parse(Created, (await send('createChatCompletion', { key })).data);
  await service.settled();
  await send('cancelRequest', { key, path: { requestId: id.slice('chatcmpl-'.length) } });
  await inTurn(['getCreditBalance', 'getServiceQuota', 'getCredits', 'getUsage'], { key });
  await inTurn(['createCompletion', 'createEmbeddings', 'createOpenAiChatCompletion'], { key });
  await inTurn(['createAnthropicMessage', 'countAnthropicTokens', 'listAnthropicModels'], { key });
  await send('checkAnthropicBaseUrl');
  const path = v.parse(CreatedResponse, (await send('createResponse', { key })).body);
  await inTurn(['compactResponse', 'getResponse', 'listInputItems', 'deleteResponse'], { key, path });
  await inTurn(['createOpenAiCompletion', 'createOpenAiEmbeddings', 'listOpenAiModels'], { key });
  await send('getOpenAiModel', { key });
}

/** Uploads the sample's file with the form, like a caller. */
async function transcribeLongAudio(service: Service, { send, inTurn }: Caller, key: string): Promise<void> {
  const { id, url, fields } = v.parse(CreatedUpload, (await send('createUpload', { key })).data);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([Buffer.from(silence, 'base64')]), 'calls.wav');
  await fetch(url, { method: 'POST', body: form });
  const body = { uploadId: id, language: 'en', timestamps: 'segment' };
  const path = v.parse(Created, (await send('createTranscriptionJob', { key, body })).data);
  for (let tries = 0, status = ''; status !== 'completed'; tries++) {
    if (tries === 200 || status === 'failed') throw new Error(`the transcription is ${status}`);
    const response = await fetch(`${service.origin}/api/ai/transcriptions/${path.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    ({ status } = v.parse(CreatedJob, await response.json()).data);
    await sleep(50);
  }
  await inTurn(['getTranscriptionJob', 'listTranscriptionJobs', 'deleteTranscriptionJob'], { key, path });
}

async function manageKeys(calls: Caller): Promise<void> {
  const { send, inTurn } = calls;
  const { cookie } = await send('login');
  await inTurn(['changeProfile', 'acceptTerms'], { cookie });
  const path = v.parse(Created, (await send('createKey', { cookie })).data);
  await inTurn(['changeKey', 'rotateKey', 'revokeKey'], { cookie, path });
  await inTurn(['listKeys', 'listRequests', 'getAlerts', 'setAlerts'], { cookie });
  await inTurn(['getLimits', 'setLimits', 'getMailPreferences', 'setMailPreferences'], { cookie });
  await storeContent(calls, cookie);
  const sessions = v.parse(Sessions, (await send('listSessions', { cookie })).data);
  const id = sessions.find(({ current }) => !current)?.id ?? '';
  await send('endSession', { cookie, path: { id } });
}

/** Another person, of the identity provider, joins the organization. */
async function manageOrganizations(service: Service, { send, inTurn }: Caller): Promise<void> {
  const { cookie } = await send('login');
  const path = v.parse(Created, (await send('createOrganization', { cookie })).data);
  const person = { email: 'member@example.com', name: 'Another Member' };
  const { token } = v.parse(v.object({ token: v.string() }), await post(service, 'identity-token', person));
  const member = await send('loginWithGoogle', { body: { token } });
  const { id: userId } = v.parse(Created, member.data);
  const body = { email: person.email };
  await send('createInvitation', { cookie, path, body });
  await send('acceptInvitation', { cookie: member.cookie, body: { token: await mailedToken(service, person.email) } });
  const { id: invitationId } = v.parse(Created, (await send('createInvitation', { cookie, path })).data);
  await inTurn(['listOrganizations', 'getOrganization', 'listMembers', 'listInvitations'], { cookie, path });
  await send('withdrawInvitation', { cookie, path: { ...path, invitationId } });
  await send('requireSecondFactor', { cookie, path });
  await inTurn(['renameOrganization', 'changeMember', 'removeMember'], { cookie, path: { ...path, userId } });
  await send('deleteOrganization', { cookie, path });
}

/** Ends with the old address, which later calls use to sign in. */
async function changeEmail(service: Service, { send }: Caller): Promise<void> {
  const { cookie } = await send('login');
  await send('requestEmailChange', { cookie });
  await send('decideEmailChange', { body: { token: await mailedToken(service) } });
  await send('cancelEmailChange', { cookie });
}

async function manageSubscription(service: Service, { send, inTurn }: Caller, key: string): Promise<void> {
  await moveClock(service, { now: upgradedAt.toISOString() });
  await inTurn(['previewUpgrade', 'upgradePlan', 'downgradePlan'], { key });
  const path = v.parse(Created, (await send('getSubscription', { key })).data);
  await inTurn(['cancelSubscription', 'resumeSubscription'], { key, path });
}

async function managePayments({ send }: Caller, key: string): Promise<void> {
  await send('listPayments', { key });
  await send('createPortal', { key });
  await send('setAutoTopUp', { key });
  await send('getAutoTopUp', { key });
  const Secret = v.pipe(v.string(), v.parseJson(), v.object({ webhookSecrets: v.tuple([v.string()]) }));
  const [secret] = v.parse(Secret, process.env['PAYMENTS_SECRET_VALUE']).webhookSecrets;
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'invoice.paid',
    livemode: false,
    data: { object: { id: 'in_1' } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp: Math.floor(ambient.clock.now() / 1000),
  });
  await send('receiveStripeEvent', { raw: { payload, signature } });
}

async function useAgents(service: Service, { send, inTurn }: Caller, key: string): Promise<void> {
  const path = v.parse(Created, (await send('createAgent', { key })).data);
  await inTurn(['getAgent', 'listAgents', 'changeAgent'], { key, path });
  const { id: documentId } = v.parse(Created, (await send('createDocument', { key, path })).data);
  await service.settled();
  await send('listDocuments', { key, path });
  const { id: conversationId } = v.parse(Created, (await send('createConversation', { key, path })).data);
  const conversation = { ...path, conversationId };
  await inTurn(['createMessage', 'getConversation', 'listConversations'], { key, path: conversation });
  await send('deleteConversation', { key, path: conversation });
  await send('deleteDocument', { key, path: { ...path, documentId } });
  await send('deleteAgent', { key, path });
}

async function sendMessages({ send }: Caller, key: string): Promise<void> {
  const path = v.parse(Created, (await send('sendMessage', { key })).data);
  await send('getMessage', { key, path });
  await send('listMessages', { key });
}

/** Delivers events to a receiver on this machine in place of the sample's URL. */
async function manageWebhooks(service: Service, { send, inTurn }: Caller, key: string): Promise<void> {
  const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const path = v.parse(Created, (await send('createWebhook', { key })).data);
  const { id: accountId } = v.parse(v.object({ id: v.number() }), (await send('getCreditBalance', { key })).data);
  await inTurn(['getWebhook', 'listWebhooks', 'changeWebhook', 'rotateWebhookSecret'], { key, path });
  const { port } = v.parse(v.object({ port: v.number() }), receiver.address());
  const webhooks = await services().webhooks();
  await webhooks.management().change(accountId, path.id, { url: `http://127.0.0.1:${port}/` });
  const { id: deliveryId } = v.parse(Created, (await send('testWebhook', { key, path })).data);
  await service.settled();
  await send('listDeliveries', { key, path });
  await send('redeliver', { key, path: { ...path, deliveryId } });
  await service.settled();
  await send('deleteWebhook', { key, path });
  receiver.close();
}

/** Calls the operations of operators on an account of the identity provider. */
async function operate(service: Service, { send, inTurn }: Caller): Promise<void> {
  await (await services().operators()).actions().setRole(email, 'operator');
  const { cookie } = await send('login');
  const person = { email: 'another@example.com', name: 'Another Sample' };
  const { token } = v.parse(v.object({ token: v.string() }), await post(service, 'identity-token', person));
  const google = await send('loginWithGoogle', { body: { token } });
  const path = v.parse(Created, google.data);
  const { id: keyId } = v.parse(Created, (await send('createKey', { cookie: google.cookie })).data);
  await (await services().operators()).directory().update();
  await send('listAccounts', { cookie });
  await send('findAccount', { cookie, query: { email: person.email } });
  await inTurn(['getAccount', 'listAccountKeys', 'grantCredits', 'assignPlan'], { cookie, path });
  await send('suspendKey', { cookie, path: { ...path, keyId } });
  await inTurn(['suspendAccount', 'resumeAccount'], { cookie, path });
  await mailsSent(service);
  await inTurn(['listAccountEntries', 'listAccountMails', 'listAccountRequests'], { cookie, path });
  const { id } = v.parse(Created, (await send('me', { cookie })).data);
  await send('listAccountPayments', { cookie, path: { id } });
  await send('listAccountWebhooks', { cookie, path: { id } });
  await send('listAuditEvents', { cookie, query: { accountId: path.id } });
}

async function leave(service: Service, { send }: Caller): Promise<void> {
  await send('forgotPassword');
  await send('resetPassword', { body: { token: await mailedToken(service) } });
  const password = 'another river bank';
  const { cookie } = await send('login', { body: { password } });
  const body = { currentPassword: password, newPassword: 'a third river bank' };
  const changed = await send('changePassword', { cookie, body });
  await send('logout', { cookie: changed.cookie });
  const last = await send('login', { body: { password: body.newPassword } });
  await send('deleteAccount', { cookie: last.cookie, body: { password: body.newPassword } });
}

async function mailedToken(service: Service, to = email): Promise<string> {
  await mailsSent(service);
  const mails = v.parse(Mails, await (await fetch(`${service.origin}/_local/mail`)).json());
  return /token=(\w+)/.exec(mails.find((mail) => mail.to.includes(to))?.text ?? '')?.[1] ?? '';
}

const moveClock = (service: Service, order: object): Promise<unknown> => post(service, 'clock', order);

async function post(service: Service, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await fetch(`${service.origin}/_local/${path}`, init)).json();
}

/** Sends samples to a service and keeps the first response of each route. */
function caller(origin: string) {
  const responses = new Map<string, OperationResponse>();

  async function request(route: Route, { path = {}, query = {}, body, key, cookie, raw }: Call): Promise<Response> {
    const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const sent = samples[route.id]?.file === undefined ? JSON.stringify(body) : formOf(route.id, body);
    const reply = await fetch(origin + filled + (search && `?${search}`), {
      method: route.method,
      headers: {
        ...(typeof sent === 'string' && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(cookie !== undefined && { cookie }),
        ...(raw && { 'stripe-signature': raw.signature }),
      },
      ...(body !== undefined && { body: sent }),
      ...(raw && { body: raw.payload }),
    });
    if (reply.status === route.success.status) return reply;
    throw new Error(`${route.id} returned ${reply.status} ${await reply.text()}`);
  }

  /** Returns the `data` of a route's response and the cookie that it set. */
  async function send(name: keyof typeof routes, call: Call = {}) {
    const route: Route = routes[name];
    const sample = samples[route.id] ?? {};
    const filled = {
      ...call,
      path: { ...sample.path, ...call.path },
      query: { ...sample.query, ...call.query },
      ...(route.bodyInput && { body: Object.assign({}, sample.body, call.body) }),
    };
    const { status, headers, ...reply } = await read(await request(route, filled));
    if (!responses.has(route.id)) {
      const body = sample.more?.['A stream'];
      const stream = body === undefined ? {} : { stream: await (await request(route, { ...filled, body })).text() };
      responses.set(route.id, { status, headers, ...reply, ...stream });
    }
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { cookie, body: reply.response, data: v.is(Envelope, reply.response) ? reply.response.data : undefined };
  }

  /** Sends the samples of several routes with one credential. Paths ignore names that they do not contain. */
  async function inTurn(names: readonly (keyof typeof routes)[], call: Call): Promise<void> {
    for (const name of names) await send(name, call);
  }

  return { send, inTurn, responses };
}
