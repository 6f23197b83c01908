import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { silence } from '#contract/samples.ts';
import { startService } from '#local/start/service.ts';
import { services } from '#runtime/services/container.ts';
import { recordedAt } from './normalizer.ts';
import type { RecordedResponses } from './recorded-responses.ts';
import { recorder } from './recorder.ts';

type Recorder = ReturnType<typeof recorder>;
type Service = Awaited<ReturnType<typeof startService>>;

const secondsAfter = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);

/** The seconds of recording between these times must not change the prorated price and credits. */
const subscribedAt = secondsAfter(recordedAt, 600);
const upgradedAt = secondsAfter(subscribedAt, 15 * 86_400 + 21);

/** Delays receipts beyond the end of the recording. */
const neverMs = 3_600_000;

const email = 'sample@example.com';
const Created = v.object({ id: v.pipe(v.union([v.string(), v.number()]), v.transform(String)) });
const CreatedUpload = v.object({ id: v.string(), url: v.string(), fields: v.record(v.string(), v.string()) });
const CreatedJob = v.object({ data: v.object({ status: v.string() }) });
const CreatedKey = v.object({ ...Created.entries, key: v.string() });
const Sessions = v.array(v.object({ id: v.string(), current: v.boolean() }));
const Mails = v.array(v.object({ to: v.array(v.string()), text: v.string() }));

export async function recordResponses(): Promise<RecordedResponses> {
  process.env['SCRYPT_LOG2_N'] ??= '12';
  const data = await mkdtemp(join(tmpdir(), 'openapi-'));
  const service = await startService({ port: 0, data, wordDelayMs: 0, receiptDelayMs: neverMs });
  try {
    await moveClock(service, { now: recordedAt.toISOString() });
    const recording = recorder(service.origin);
    const key = await openAccount(service, recording);
    await useModels(service, recording, key);
    await transcribeLongAudio(service, recording, key);
    await manageKeys(recording);
    await changeEmail(service, recording);
    await manageSubscription(service, recording, key);
    await useAgents(service, recording, key);
    await sendMessages(recording, key);
    await service.settled();
    await manageWebhooks(service, recording, key);
    await operate(service, recording);
    await leave(service, recording);
    return recording.responses();
  } finally {
    await service.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function openAccount(service: Service, { record }: Recorder): Promise<string> {
  const { cookie } = await record('register');
  await record('resendConfirmation', { cookie });
  await record('confirm', { cookie, query: { token: await mailedToken(service) } });
  await record('me', { cookie });
  const { key } = v.parse(CreatedKey, (await record('createKey', { cookie })).data);
  await record('listPlans', { key });
  await moveClock(service, { now: subscribedAt.toISOString() });
  await record('createSubscription', { key });
  return key;
}

async function useModels(service: Service, { record }: Recorder, key: string): Promise<void> {
  await record('listModels', { key });
  await record('listServices', { key });
  await record('translate', { key });
  await record('analyze', { key });
  await record('listVoices', { key });
  await record('createSpeech', { key });
  await record('createOpenAiSpeech', { key });
  await record('createTranscription', { key });
  await record('createOpenAiTranscription', { key });
  const { id } = v.parse(Created, (await record('createChatCompletion', { key })).data);
  await service.settled();
  await record('cancelRequest', { key, path: { requestId: id.slice('chatcmpl-'.length) } });
  await record('getCreditBalance', { key });
  await record('getServiceQuota', { key });
  await record('getCredits', { key });
  await record('getUsage', { key });
  await record('createCompletion', { key });
  await record('createEmbeddings', { key });
  await record('createOpenAiChatCompletion', { key });
  await record('createOpenAiCompletion', { key });
  await record('createOpenAiEmbeddings', { key });
  await record('listOpenAiModels', { key });
  await record('getOpenAiModel', { key });
}

async function transcribeLongAudio(service: Service, { record }: Recorder, key: string): Promise<void> {
  const { id, url, fields } = v.parse(CreatedUpload, (await record('createUpload', { key })).data);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([Buffer.from(silence, 'base64')]), 'recording.wav');
  await fetch(url, { method: 'POST', body: form });
  const body = { uploadId: id, language: 'en', timestamps: 'segment' };
  const path = v.parse(Created, (await record('createTranscriptionJob', { key, body })).data);
  for (let tries = 0, status = ''; status !== 'completed'; tries++) {
    if (tries === 200 || status === 'failed') throw new Error(`the transcription is ${status}`);
    const response = await fetch(`${service.origin}/api/ai/transcriptions/${path.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    ({ status } = v.parse(CreatedJob, await response.json()).data);
    await sleep(50);
  }
  await record('getTranscriptionJob', { key, path });
  await record('listTranscriptionJobs', { key });
  await record('deleteTranscriptionJob', { key, path });
}

async function manageKeys({ record }: Recorder): Promise<void> {
  const { cookie } = await record('login');
  await record('changeProfile', { cookie });
  const path = v.parse(Created, (await record('createKey', { cookie })).data);
  await record('changeKey', { cookie, path });
  await record('rotateKey', { cookie, path });
  await record('revokeKey', { cookie, path });
  await record('listKeys', { cookie });
  await record('listRequests', { cookie });
  await record('getAlerts', { cookie });
  await record('setAlerts', { cookie });
  const sessions = v.parse(Sessions, (await record('listSessions', { cookie })).data);
  const id = sessions.find(({ current }) => !current)?.id ?? '';
  await record('endSession', { cookie, path: { id } });
}

/** Starts and cancels the change, because later steps use the original address. */
async function changeEmail(service: Service, { record }: Recorder): Promise<void> {
  const { cookie } = await record('login');
  await record('requestEmailChange', { cookie });
  await record('decideEmailChange', { body: { token: await mailedToken(service) } });
  await record('cancelEmailChange', { cookie });
}

async function manageSubscription(service: Service, { record }: Recorder, key: string): Promise<void> {
  await moveClock(service, { now: upgradedAt.toISOString() });
  await record('previewUpgrade', { key });
  await record('upgradePlan', { key });
  await record('downgradePlan', { key });
  const path = v.parse(Created, (await record('getSubscription', { key })).data);
  await record('cancelSubscription', { key, path });
  await record('resumeSubscription', { key, path });
}

async function useAgents(service: Service, { record }: Recorder, key: string): Promise<void> {
  const path = v.parse(Created, (await record('createAgent', { key })).data);
  await record('getAgent', { key, path });
  await record('listAgents', { key });
  await record('changeAgent', { key, path });
  const { id: documentId } = v.parse(Created, (await record('createDocument', { key, path })).data);
  await service.settled();
  await record('listDocuments', { key, path });
  const { id: conversationId } = v.parse(Created, (await record('createConversation', { key, path })).data);
  const conversation = { ...path, conversationId };
  await record('createMessage', { key, path: conversation });
  await record('getConversation', { key, path: conversation });
  await record('listConversations', { key, path });
  await record('deleteConversation', { key, path: conversation });
  await record('deleteDocument', { key, path: { ...path, documentId } });
  await record('deleteAgent', { key, path });
}

async function sendMessages({ record }: Recorder, key: string): Promise<void> {
  const path = v.parse(Created, (await record('sendMessage', { key })).data);
  await record('getMessage', { key, path });
  await record('listMessages', { key });
}

/** Sends to a receiver on this machine, regardless of the URL shown. */
async function manageWebhooks(service: Service, { record }: Recorder, key: string): Promise<void> {
  const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const path = v.parse(Created, (await record('createWebhook', { key })).data);
  const { id: accountId } = v.parse(v.object({ id: v.number() }), (await record('getCreditBalance', { key })).data);
  await record('getWebhook', { key, path });
  await record('listWebhooks', { key });
  await record('changeWebhook', { key, path });
  await record('rotateWebhookSecret', { key, path });
  const { port } = v.parse(v.object({ port: v.number() }), receiver.address());
  const webhooks = await services().webhooks();
  await webhooks.management().change(accountId, path.id, { url: `http://127.0.0.1:${port}/` });
  const { id: deliveryId } = v.parse(Created, (await record('testWebhook', { key, path })).data);
  await service.settled();
  await record('listDeliveries', { key, path });
  await record('redeliver', { key, path: { ...path, deliveryId } });
  await service.settled();
  await record('deleteWebhook', { key, path });
  receiver.close();
}

async function operate(service: Service, { record }: Recorder): Promise<void> {
  await (await services().operators()).actions().setRole(email, 'operator');
  const { cookie } = await record('login');
  const person = { email: 'another@example.com', name: 'Another Sample' };
  const { token } = v.parse(v.object({ token: v.string() }), await post(service, 'identity-token', person));
  const google = await record('loginWithGoogle', { body: { token } });
  const path = v.parse(Created, google.data);
  const { id: keyId } = v.parse(Created, (await record('createKey', { cookie: google.cookie })).data);
  await record('findAccount', { cookie, query: { email: person.email } });
  await record('getAccount', { cookie, path });
  await record('listAccountKeys', { cookie, path });
  await record('grantCredits', { cookie, path });
  await record('assignPlan', { cookie, path });
  await record('suspendKey', { cookie, path: { ...path, keyId } });
  await record('suspendAccount', { cookie, path });
  await record('resumeAccount', { cookie, path });
  await service.settled();
  await record('listAccountEntries', { cookie, path });
  await record('listAccountMails', { cookie, path });
  await record('listAccountRequests', { cookie, path });
  await record('listAuditEvents', { cookie, query: { accountId: path.id } });
}

async function leave(service: Service, { record }: Recorder): Promise<void> {
  await record('forgotPassword');
  await record('resetPassword', { body: { token: await mailedToken(service) } });
  const password = 'another river bank';
  const { cookie } = await record('login', { body: { password } });
  const body = { currentPassword: password, newPassword: 'a third river bank' };
  const changed = await record('changePassword', { cookie, body });
  await record('logout', { cookie: changed.cookie });
  const last = await record('login', { body: { password: body.newPassword } });
  await record('deleteAccount', { cookie: last.cookie, body: { password: body.newPassword } });
}

async function mailedToken(service: Service): Promise<string> {
  // A reset link takes three steps: the request, the outbox entry, and the email.
  for (let step = 0; step < 3; step++) await service.settled();
  const mails = v.parse(Mails, await (await fetch(`${service.origin}/_local/mail`)).json());
  return /token=(\w+)/.exec(mails.find(({ to }) => to.includes(email))?.text ?? '')?.[1] ?? '';
}

const moveClock = (service: Service, order: object): Promise<unknown> => post(service, 'clock', order);

async function post(service: Service, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await fetch(`${service.origin}/_local/${path}`, init)).json();
}
