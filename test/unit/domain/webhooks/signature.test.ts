import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { newSecret, signedHeaders } from '#domain/webhooks/webhook.ts';
import { ambient } from '#runtime/process.ts';

const now = Math.floor(Date.now() / 1000);
const body = JSON.stringify({ type: 'webhook.test', timestamp: '2027-03-01T00:00:00.000Z', data: { name: 'Zoë 🎉' } });

it('with two signing secrets, a message is verified with either, and with no other', () => {
  const secrets = [newSecret(ambient.random), newSecret(ambient.random)];
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const headers = signedHeaders({ id: 'evt_1', body }, now, secrets);
  for (const secret of secrets) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  expect(() => new Webhook(newSecret(ambient.random)).verify(body, headers)).toThrow('No matching signature');
});

it.each([
  ['body', body.replace('test', 'best'), {}],
  ['id', body, { 'webhook-id': 'evt_2' }],
  ['time', body, { 'webhook-timestamp': String(now - 1) }],
])('a message with another %s is not verified', (_, sent, changed) => {
  const secret = newSecret(ambient.random);
  const headers = { ...signedHeaders({ id: 'evt_1', body }, now, [secret]), ...changed };
  expect(() => new Webhook(secret).verify(sent, headers)).toThrow('No matching signature');
});
