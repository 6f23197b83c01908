import { silence } from '../../audio/files.ts';
import { uploaded } from '../../audio/long-audio.ts';
import { small, type usePayingService } from '../../payments/paying-service.ts';
import type { ApiResponse } from '../../service/service.ts';
import { organizationCalls, type Session } from '../organizations.ts';

export interface Organizations {
  /** Without other members, and deleted before the account. Both invited somebody at an address of `guests`. */
  readonly alone: number;
  readonly ended: number;
  /** Created by the person, and of another person: both have another owner, who stays. */
  readonly kept: number;
  readonly shared: number;
  readonly other: Session;
  /** Of the organizations that end. */
  readonly keyIds: readonly string[];
  /** The keys, and the tokens of invitations. */
  readonly tokens: readonly string[];
}

/** The end of the addresses that receive invitations. */
export const guests = 'guest@example.com';

interface Words {
  readonly text: string;
  readonly phone: string;
  readonly receiverUrl: string;
}

/** Organizations of a person: owned, deleted, joined and left, and an invitation that is not accepted. */
export async function joinOrganizations(
  service: ReturnType<typeof usePayingService>,
  person: Session,
  { text, phone, receiverUrl }: Words,
): Promise<Organizations> {
  const calls = organizationCalls(service);
  const [keyIds, tokens]: [string[], string[]] = [[], []];
  const done = async (request: Promise<ApiResponse>): Promise<any> => {
    const { status, body } = await request;
    if (status >= 300) throw new Error(`${status} ${body.detail}`);
    return body.data ?? body;
  };
  const as = (id: number, method: string, path: string, body?: unknown) =>
    done(calls.within(id, method, path, { cookie: person.cookie, ...(body !== undefined && { body }) }));

  /** With a session, because keys of an organization cannot pay. */
  async function buy(id: number, order: object): Promise<void> {
    const payment = await as(id, 'POST', '/api/payments/checkout', order);
    await service.script(payment.id, 'paid');
  }

  async function keyIn(id: number, name: string): Promise<{ id: string; key: string }> {
    const made = await as(id, 'POST', '/api/keys', { name });
    tokens.push(made.key);
    return made;
  }

  /** An organization with something of each kind that it can store. */
  async function filled(name: string): Promise<number> {
    const id = await calls.create(person, name);
    const guest = `${id}.${guests}`;
    await done(calls.invite(id, person, guest, 'viewer'));
    tokens.push(await calls.tokenTo(guest));
    const { id: keyId, key } = await keyIn(id, 'Quillfeather');
    keyIds.push(keyId);
    const call = (method: string, path: string, body?: unknown, headers = {}) =>
      done(service.call(method, path, { key, headers, ...(body !== undefined && { body }) }));
    await buy(id, { planId: 'pro_pass' });
    await as(id, 'PUT', '/api/alerts', { rules: [{ kind: 'balance_below', value: 100_000 }], channels: ['email'] });
    const webhook = await as(id, 'POST', '/api/webhooks', { url: receiverUrl, events: ['*'], description: text });
    tokens.push(webhook.secret);
    const prompt = { model: 'svc-1', messages: [{ role: 'user', content: text }] };
    await call('POST', '/v1/chat/completions', prompt, { 'idempotency-key': `quillfeather-${id}` });
    await call('POST', '/openai/v1/responses', { model: 'svc-1', input: text });
    const agent = await call('POST', '/api/agents', { name: text, model: 'svc-1', instructions: text });
    await call('POST', `/api/agents/${agent.id}/documents`, { name: 'Quillfeather.txt', text });
    const conversation = await call('POST', `/api/agents/${agent.id}/conversations`);
    await call('POST', `/api/agents/${agent.id}/conversations/${conversation.id}/messages`, { content: text });
    await call('POST', '/api/messages', { channel: 'sms', to: phone, text });
    await uploaded(service, key, silence(5));
    return id;
  }

  const other = await service.person();
  const alone = await filled('Quillfeather Works');
  const ended = await filled('Quillfeather Past');
  await calls.join(ended, person, other, 'viewer');
  const subscription = await as(ended, 'GET', '/api/subscription');
  await as(ended, 'PATCH', `/api/subscription/${subscription.id}/cancel`);
  await done(calls.call('DELETE', `/${ended}`, person));

  const kept = await calls.create(person, 'Harbor Works');
  await keyIn(kept, 'Harbor');
  await buy(kept, { pack: small.id });
  await calls.join(kept, person, other, 'owner');

  const shared = await calls.create(other, 'Harbor Lights');
  await calls.join(shared, other, person, 'owner');
  const { key } = await keyIn(shared, 'Harbor');
  // Sends an email about the organization to the person.
  const { balance } = await as(shared, 'GET', '/api/credits');
  await as(shared, 'PUT', '/api/alerts', { rules: [{ kind: 'balance_below', value: balance }], channels: ['email'] });
  const body = { model: 'svc-1', messages: [{ role: 'user', content: 'Good morning.' }] };
  await done(service.call('POST', '/v1/chat/completions', { key, body }));

  const left = await calls.create(other, 'Harbor Past');
  await calls.join(left, other, person, 'developer');
  await keyIn(left, 'Harbor');
  await done(calls.call('DELETE', `/${left}/members/${person.id}`, person));
  const unanswered = await calls.create(other, 'Harbor Annex');
  await done(calls.invite(unanswered, other, person.email, 'viewer'));
  tokens.push(await calls.tokenTo(person.email));
  return { alone, ended, kept, shared, other, keyIds, tokens };
}
