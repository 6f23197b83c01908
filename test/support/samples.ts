import type { Route } from '#contract/route.ts';
import { chat } from './service.ts';

interface Sample {
  readonly path?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
}

const act = { path: { id: '123' }, body: { reason: 'a test' } };

/** A valid request for every route that takes input. */
const samples: Readonly<Record<string, Sample>> = {
  register: { body: { email: 'sample@example.com', name: 'Sample', password_hash: 'a quiet river bank' } },
  login: { body: { email: 'sample@example.com', password: 'a quiet river bank' } },
  'login-with-google': { body: { token: 'x.y.z' } },
  'forgot-password': { body: { email: 'sample@example.com' } },
  'reset-password': { body: { token: 'tar_x', newPassword: 'another river bank' } },
  'confirm-account': { query: { token: 'tac_x' } },
  'change-profile': { body: { name: 'Renamed' } },
  'change-password': { body: { currentPassword: 'a quiet river bank', newPassword: 'another river bank' } },
  'delete-account': { body: { email: 'sample@example.com', password: 'a quiet river bank' } },
  'end-session': { path: { id: 'some-id' } },
  'create-key': { body: { name: 'a name' } },
  'change-key': { path: { id: 'some-id' }, body: { name: 'a name' } },
  'revoke-key': { path: { id: 'some-id' } },
  'rotate-key': { path: { id: 'some-id' }, body: {} },
  'find-account': { query: { email: 'sample@example.com' } },
  'suspend-account': act,
  'resume-account': act,
  'assign-plan': { path: act.path, body: { planId: 'enterprise', reason: 'a test' } },
  'grant-credits': { path: act.path, body: { credits: 10, reason: 'a test' } },
  'suspend-key': { path: { ...act.path, keyId: 'some-id' }, body: act.body },
  translate: { body: { text: 'Good morning, friend.', sourceLanguage: 'en', targetLanguage: 'fr' } },
  'create-subscription': { body: { planId: 'dev_pass', billingCycle: 'monthly' } },
  'upgrade-plan': { body: { newPlanId: 'pro_pass' } },
  'preview-upgrade': { query: { newPlanId: 'pro_pass' } },
  'downgrade-plan': { body: { newPlanId: 'freemium' } },
  'cancel-subscription': { path: { id: 'some-id' } },
  'get-service-quota': { path: { name: 'chat' } },
  'create-chat-completion': { body: chat() },
  'create-completion': { body: { model: 'svc-instruct', prompt: 'Once upon a time' } },
  'create-openai-chat-completion': { body: chat() },
  'create-openai-completion': { body: { model: 'svc-instruct', prompt: 'Once upon a time' } },
  'create-openai-embeddings': { body: { model: 'svc-embed', input: 'a text' } },
  'get-openai-model': { path: { model: 'svc-1' } },
  'create-embeddings': { body: { model: 'svc-embed', input: 'a text' } },
};

/** A valid request for the route: its address with parameters and query, and its body. */
export function sampleOf(route: Route): { path: string; body: unknown } {
  const { path = {}, query, body } = samples[route.id] ?? {};
  const filled = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => path[name] ?? `no sample for ${name} of ${route.id}`,
  );
  if (route.bodyInput && body === undefined) throw new Error(`no sample body for ${route.id}`);
  return { path: query ? `${filled}?${String(new URLSearchParams(query))}` : filled, body };
}
