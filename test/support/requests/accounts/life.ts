import { services } from '#runtime/services/container.ts';
import { silence } from '../../audio/files.ts';
import { ended, newUpload, transcribed, uploaded } from '../../audio/long-audio.ts';
import { small, type usePayingService } from '../../payments/paying-service.ts';
import { type ApiResponse, cookieOf } from '../../service/service.ts';
import { deviceOf } from './auth-calls.ts';
import { emailChangeCalls } from './email-change.ts';
import { addFactors, type Factors } from './life-factors.ts';
import { joinOrganizations, type Organizations } from './life-organizations.ts';
import { factorCalls } from './second-factor.ts';

type PayingService = ReturnType<typeof usePayingService>;

/** Words of one person, which occur nowhere else. */
export const own = {
  oldEmail: 'ada.quillfeather@example.com',
  email: 'quillfeather@example.org',
  name: 'Adaline Quillfeather',
  phone: '+14155550177',
  password: 'nocturne harbour umbrella',
  text: 'marzipan lighthouse',
} as const;

export interface Life {
  readonly id: number;
  /** Every secret that the person has received: sessions, keys, tokens, signing secrets. */
  readonly tokens: string[];
  readonly keyIds: string[];
  cookie: string;
  readonly key: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly organizations: Organizations;
  readonly factors: Factors;
}

/** An account that uses every feature which stores something about its owner. Returns its secrets. */
export async function live(service: PayingService, receiverUrl: string, operatorCookie: string): Promise<Life> {
  const { post, resetToken, identityToken, requested, confirm } = emailChangeCalls(() => service);
  const tokens: string[] = [];
  const keyIds: string[] = [];
  const kept = (response: ApiResponse): string => {
    if (response.status >= 300) throw new Error(`${response.status} ${response.body.detail}`);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
    tokens.push(...cookies.map((cookie) => cookie.slice(cookie.indexOf('=') + 1)).filter(Boolean));
    return cookies.find((cookie) => cookie.startsWith('session=')) ?? '';
  };
  const as = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await service.call(method, path, { cookie, ...(body !== undefined && { body }) });
    kept(response);
    return response.body.data;
  };

  const begun = { email: own.oldEmail, name: own.name, password_hash: own.password };
  const registration = await post('register', begun);
  let cookie = kept(registration);
  const id = Number(registration.body.data.id);
  const confirmation = await service.mailedToken(own.oldEmail);
  tokens.push(confirmation);
  await as('GET', `/api/auth/confirm?token=${confirmation}`);

  const device = deviceOf(registration);
  await post('login', { email: own.oldEmail, password: 'wrong' });
  await post('login', { email: own.oldEmail, password: 'wrong' }, device);
  const reset = await resetToken(own.oldEmail);
  tokens.push(reset);
  kept(await post('reset-password', { token: reset, newPassword: `${own.password}.` }));
  cookie = kept(await post('login', { email: own.oldEmail, password: `${own.password}.` }));

  const change = await requested({ cookie, email: own.oldEmail, password: `${own.password}.` }, own.email);
  tokens.push(change.old, change.new);
  kept(await confirm(change.old, cookie));
  cookie = kept(await confirm(change.new, cookie));
  const google = await identityToken(own.email, own.name);
  tokens.push(google);
  cookie = kept(await post('google', { token: google }, cookie));
  await as('PATCH', '/api/auth/me', { name: own.name });
  const factors = await addFactors(service, { cookie, email: own.email, password: `${own.password}.` });
  tokens.push(...factors.tokens);
  cookie = factors.cookie;
  const mails = { planChanges: true, renewals: true, receipts: false, webhooks: false };
  await as('PUT', '/api/account/mail-preferences', mails);
  const words = { text: own.text, phone: own.phone, receiverUrl };
  const organizations = await joinOrganizations(service, { id, cookie, email: own.email }, words);
  tokens.push(...organizations.tokens);
  // A password reset that is requested and not used.
  tokens.push(await resetToken(own.email));

  const created = await as('POST', '/api/keys', { name: 'Quillfeather', limit: { credits: 500, period: 'month' } });
  const rotated = await as('POST', `/api/keys/${created.id}/rotate`, { gracePeriodMinutes: 60 });
  const key: string = rotated.key;
  const spare = await as('POST', '/api/keys', { name: 'Quillfeather' });
  keyIds.push(created.id, rotated.id, spare.id);
  await as('PUT', '/api/limits', { monthlyCredits: 900_000 });
  await as('PUT', `/api/keys/${rotated.id}/content`, { days: 30 });
  tokens.push(created.key, key, spare.key);

  const call = async (method: string, path: string, body?: unknown, headers = {}): Promise<any> => {
    const response = await service.call(method, path, { key, headers, ...(body !== undefined && { body }) });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.body.detail}`);
    return response.body.data ?? response.body;
  };
  await service.bought({ key } as never, { planId: 'pro_pass' });
  await service.bought({ key } as never);
  await call('PUT', '/api/payments/auto-top-up', { threshold: 100, pack: small.id, monthlyLimit: 2000 });

  await as('PUT', '/api/alerts', {
    rules: [{ kind: 'balance_below', value: 100_599 }],
    channels: ['email', 'webhook'],
  });
  const webhook = await as('POST', '/api/webhooks', {
    url: `${receiverUrl}?${own.text.replace(' ', '-')}`,
    events: ['*'],
    description: 'Quillfeather',
  });
  tokens.push(webhook.secret);

  const prompt = { model: 'svc-1', messages: [{ role: 'user', content: own.text }] };
  await call('POST', '/v1/chat/completions', prompt, { 'idempotency-key': 'quillfeather-1' });
  await service.call('POST', '/v1/chat/completions', { key, body: { ...prompt, model: own.text } });
  await call('POST', '/openai/v1/responses', { model: 'svc-1', input: own.text });
  const streamed = await service.open('/v1/chat/completions', key, { ...prompt, stream: true });
  await streamed.text();

  const agent = await call('POST', '/api/agents', { name: 'Quillfeather', model: 'svc-1', instructions: own.text });
  const path = `/api/agents/${agent.id}`;
  await call('POST', `${path}/documents`, { name: 'Quillfeather.txt', text: own.text });
  const conversation = await call('POST', `${path}/conversations`);
  await call('POST', `${path}/conversations/${conversation.id}/messages`, { content: own.text });

  const sms = { channel: 'sms', to: own.phone, text: own.text, reference: 'quillfeather' };
  await call('POST', '/api/messages', sms, { 'idempotency-key': 'quillfeather-2' });
  const transcription = await transcribed(service, key, await uploaded(service, key, silence(20)));
  await ended(service, key, transcription.body.data.id);
  await uploaded(service, key, silence(5));
  await newUpload(service, key, 1000);

  const act = async (to: string, body: object) => {
    const path = `/api/operator/accounts/${id}/${to}`;
    kept(await service.call('POST', path, { cookie: operatorCookie, body }));
  };
  await act('credits', { credits: 10, reason: 'ticket 1' });
  await act(`keys/${spare.id}/suspend`, { reason: 'ticket 2' });
  await services().suppressions().add(own.oldEmail, 'bounce', services().clock.now());
  await service.quiet();
  const agents = { agentId: agent.id, conversationId: conversation.id };
  return { id, tokens, keyIds, cookie, key, ...agents, organizations, factors };
}

/** Deletes the account in a session of its passkey, with a token of the identity provider and a recovery code. */
export async function leave(service: PayingService, { factors: { device, recoveryCodes } }: Life): Promise<void> {
  const { identityToken, post, options, verify } = factorCalls(() => service);
  const cookie = cookieOf(await verify(device.assert(await options())));
  const token = await identityToken(own.email, own.name);
  const proof = { email: own.email, identityToken: token, recoveryCode: recoveryCodes[0] };
  const { status, body } = await post('delete-account', proof, cookie);
  if (status !== 200) throw new Error(`the account was not deleted: ${status} ${body.detail}`);
}
