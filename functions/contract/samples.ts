import { planAt } from './billing/plans.ts';
import { firstModelFor, modelNamed, models } from './inference/models.ts';
import { serviceOf } from './offered-services.ts';
import { packs } from './payments/payments.ts';

/** A valid request for a route: path parameters, query and body. */
export interface Sample {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Base64 content of the form's part `file`. The body contains the other fields. */
  readonly file?: string;
  /** Further example bodies by title. The streamed response's example is recorded with `A stream`. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const person = { email: 'sample@example.com', password: 'a quiet river bank', newPassword: 'another river bank' };
const { email, password, newPassword } = person;

/** A WAV file with 10 ms of silence. */
export const silence = `UklGRnQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YVAAAACA${'gICA'.repeat(26)}gA==`;

/** The response of an authenticator to a sign-in. */
const passkey = {
  id: 'bm9uZQ',
  rawId: 'bm9uZQ',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA', userHandle: 'AAAAAAAAAAE' },
};

const reason = 'requested by mail';
const account = { id: '123' };
const operatorAction: Sample = { path: account, body: { reason } };

const chatModel = firstModelFor('chat');
const keyModel = modelNamed(chatModel) ?? models[0];
const question = { role: 'user', content: 'Is it warm in Oslo?' };
const chat = { model: chatModel, messages: [{ role: 'user', content: 'Hello' }] };
const completion = { model: firstModelFor('completion'), prompt: 'Once upon a time', max_tokens: 24 };
const embeddings = { model: firstModelFor('embeddings'), input: ['a river bank', 'a savings bank'], dimensions: 4 };
const weather = {
  name: 'get_weather',
  description: 'The weather in a city now',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const { parameters: input_schema, ...namedWeather } = weather;
const anthropicWeather = { ...namedWeather, input_schema };
const anthropic = { ...chat, max_tokens: 256 };
const call = { name: 'get_weather', arguments: '{"city":"Oslo"}' };
const result = '{"celsius":21}';
const streamed = { stream: true };
const response = { model: chatModel, input: 'Hello' };
const weatherTool = { type: 'function', ...weather };
const agent = { name: 'Concierge', model: chatModel, instructions: 'You help guests of a hotel. Reply briefly.' };
const handbook =
  'Breakfast is served from seven to ten in the garden room. Bicycles are free for guests; keys are at the desk.';
const conversation = { id: 'some-id', conversationId: 'some-id' };

/**
 * A valid request for every route with input, by route id. Tests send them and the API reference shows them. Tests and
 * the reference replace ids of existing objects.
 */
export const samples: Readonly<Record<string, Sample>> = {
  register: { body: { email, name: 'Sample', password_hash: password } },
  login: { body: { email, password } },
  'login-with-google': { body: { token: 'x.y.z' } },
  'complete-sign-in': { body: { code: '123456' } },
  'set-up-totp': { body: { password } },
  'confirm-totp': { body: { code: '123456' } },
  'delete-totp': { body: { code: '123456' } },
  'create-passkey-options': { body: { password } },
  'verify-passkey': { body: passkey },
  'delete-passkey': { path: { id: 'some-id' }, body: { password } },
  'forgot-password': { body: { email } },
  'reset-password': { body: { token: 'tar_x', newPassword } },
  'confirm-account': { query: { token: 'tac_x' } },
  'change-profile': { body: { name: 'Renamed' } },
  'accept-terms': { body: { version: 1 } },
  'request-email-change': { body: { email: 'new@example.com', password } },
  'decide-email-change': {
    body: { token: 'tae_x', decision: 'confirm' },
    more: { Refuse: { token: 'tae_x', decision: 'refuse' } },
  },
  'change-password': { body: { currentPassword: password, newPassword } },
  'delete-account': { body: { email, password } },
  'end-session': { path: { id: 'some-id' } },
  'create-organization': { body: { name: 'Harbor Works' } },
  'get-organization': { path: account },
  'rename-organization': { path: account, body: { name: 'Harbor Works North' } },
  'require-second-factor': { path: account, body: { required: false } },
  'delete-organization': { path: account },
  'list-members': { path: account },
  'change-member': { path: { ...account, userId: '456' }, body: { role: 'admin' } },
  'remove-member': { path: { ...account, userId: '456' }, query: { revokeKeys: 'true' } },
  'list-invitations': { path: account },
  'create-invitation': { path: account, body: { email: 'another@example.com', role: 'developer' } },
  'withdraw-invitation': { path: { ...account, invitationId: 'some-id' } },
  'accept-invitation': { body: { token: 'tao_x' } },
  'create-key': {
    body: { name: 'production' },
    more: {
      'With an end': { name: 'trial', expiresAt: '2030-01-31T23:59:59Z' },
      'With limits': {
        name: 'intern',
        limit: { credits: 100, period: 'day' },
        models: [keyModel?.id],
        services: keyModel?.capabilities.slice(0, 1).map((capability) => serviceOf[capability]),
      },
    },
  },
  'change-key': {
    path: { id: 'some-id' },
    body: { name: 'staging' },
    more: { Suspend: { status: 'suspended' }, 'Take a limit away': { limit: null } },
  },
  'revoke-key': { path: { id: 'some-id' } },
  'set-key-content': { path: { id: 'some-id' }, body: { days: 7 }, more: { Off: { days: null } } },
  'delete-key-content': { path: { id: 'some-id' } },
  'get-request-content': { path: { id: 'some-id', requestId: 'hV3kQ9sTz1LmXw7RbYc' } },
  'delete-request-content': { path: { id: 'some-id', requestId: 'hV3kQ9sTz1LmXw7RbYc' } },
  'rotate-key': { path: { id: 'some-id' }, body: { graceSeconds: 3600 } },
  'find-account': { query: { email } },
  'get-account': { path: account },
  'list-account-entries': { path: account, query: { limit: '5' } },
  'list-account-keys': { path: account },
  'list-account-payments': { path: account },
  'list-account-webhooks': { path: account },
  'list-account-mails': { path: account },
  'list-account-requests': { path: account, query: { status: '4xx', limit: '5' } },
  'suspend-account': operatorAction,
  'resume-account': operatorAction,
  'assign-plan': { path: account, body: { planId: planAt(4), reason } },
  'grant-credits': { path: account, body: { credits: 10, reason } },
  'list-audit-events': { query: { accountId: account.id, limit: '5' } },
  'suspend-key': { path: { ...account, keyId: 'some-id' }, body: { reason } },
  'create-agent': {
    body: agent,
    more: {
      'With a function': {
        ...agent,
        functions: [weather],
        temperature: 0.2,
        truncation: 'summarize',
        retentionDays: 7,
      },
    },
  },
  'list-agents': { query: { limit: '5' } },
  'get-agent': { path: { id: 'some-id' } },
  'change-agent': {
    path: { id: 'some-id' },
    body: { instructions: 'You help guests of a hotel. Reply in one sentence.' },
  },
  'delete-agent': { path: { id: 'some-id' } },
  'create-document': { path: { id: 'some-id' }, body: { name: 'Handbook', text: handbook } },
  'list-documents': { path: { id: 'some-id' }, query: { limit: '5' } },
  'delete-document': { path: { id: 'some-id', documentId: 'some-id' } },
  'create-conversation': { path: { id: 'some-id' } },
  'list-conversations': { path: { id: 'some-id' }, query: { limit: '5' } },
  'get-conversation': { path: conversation, query: { limit: '5' } },
  'delete-conversation': { path: conversation },
  'create-message': {
    path: conversation,
    body: { content: 'When is breakfast?' },
    more: {
      'A stream': { content: 'When is breakfast?', ...streamed },
      "A function's result": { functionResults: [{ name: 'get_weather', content: result }] },
    },
  },
  'create-webhook': {
    body: { url: 'https://example.com/webhooks', events: ['credits.low', 'credits.exhausted'], description: 'billing' },
    more: { 'Every event': { url: 'https://example.com/webhooks', events: ['*'] } },
  },
  'get-webhook': { path: { id: 'some-id' } },
  'change-webhook': {
    path: { id: 'some-id' },
    body: { events: ['*'] },
    more: { Enable: { status: 'active' } },
  },
  'delete-webhook': { path: { id: 'some-id' } },
  'rotate-webhook-secret': { path: { id: 'some-id' }, body: { graceSeconds: 3600 } },
  'test-webhook': { path: { id: 'some-id' } },
  'list-deliveries': { path: { id: 'some-id' }, query: { limit: '5' } },
  redeliver: { path: { id: 'some-id', deliveryId: 'some-id' } },
  'cancel-request': { path: { requestId: 'hV3kQ9sTz1LmXw7RbYc' } },
  'create-checkout': {
    body: packs[0] ? { pack: packs[0].id } : { planId: planAt(1) },
    more: { 'A plan': { planId: planAt(1) } },
  },
  'get-payment': { path: { id: 'some-id' } },
  'set-auto-top-up': { body: { threshold: 100, pack: packs[0]?.id ?? '', monthlyLimit: 2000 }, more: { Off: null } },
  'create-subscription': { body: { planId: planAt(1), billingCycle: 'monthly' } },
  'upgrade-plan': { body: { newPlanId: planAt(3) } },
  'preview-upgrade': { query: { newPlanId: planAt(3) } },
  'downgrade-plan': { body: { newPlanId: planAt(0) } },
  'cancel-subscription': { path: { id: 'some-id' } },
  'resume-subscription': { path: { id: 'some-id' } },
  'get-credits': { query: { limit: '5' } },
  'get-service-quota': { path: { name: 'translation' } },
  'get-usage': { query: { group: 'service' } },
  'list-requests': { query: { status: '2xx', limit: '2' } },
  'set-mail-preferences': { body: { planChanges: true, renewals: false, receipts: true, webhooks: true } },
  'set-limits': { body: { monthlyCredits: 500 }, more: { 'No cap': { monthlyCredits: null } } },
  'set-alerts': {
    body: {
      rules: [
        { kind: 'balance_below', value: 500 },
        { kind: 'month_percent', value: 80 },
        { kind: 'key_percent', value: 90 },
      ],
      channels: ['email'],
    },
  },
  translate: { body: { text: 'Good morning, friend.', sourceLanguage: 'en', targetLanguage: 'fr' } },
  analyze: {
    body: {
      text: 'The battery of the Aurora 5 is superb, but the strap broke in Oslo. Write to ada@example.com.',
      analyses: ['sentiment', 'entities', 'pii'],
    },
    more: {
      'Categories, phrases and the language': {
        text: 'The parcel came two weeks late.',
        analyses: ['categories', 'key_phrases', 'language'],
        labels: ['delivery', 'quality', 'price'],
      },
    },
  },
  'create-speech': {
    body: { text: 'Good morning, friend.', voice: 'nova' },
    more: { 'Another format': { text: 'Good morning, friend.', format: 'wav', speed: 1.25 } },
  },
  'create-transcription': {
    body: { audio: silence, language: 'en', timestamps: 'segment' },
    more: { 'Without times': { audio: silence } },
  },
  'create-upload': { body: { contentType: 'audio/wav', bytes: 124 } },
  'create-transcription-job': { body: { uploadId: 'upl_SomeUpload', language: 'en', timestamps: 'segment' } },
  'list-transcription-jobs': { query: { limit: '5' } },
  'get-transcription-job': { path: { id: 'some-id' } },
  'delete-transcription-job': { path: { id: 'some-id' } },
  'create-openai-transcription': {
    body: { model: firstModelFor('transcription'), response_format: 'verbose_json' },
    more: { 'A stream': { model: firstModelFor('transcription'), stream: 'true', file: '@speech.wav' } },
    file: silence,
  },
  'create-openai-translation': {
    body: { model: firstModelFor('transcription'), response_format: 'verbose_json' },
    file: silence,
  },
  'create-openai-speech': { body: { model: firstModelFor('speech'), input: 'Good morning, friend.', voice: 'nova' } },
  'send-message': {
    body: { channel: 'sms', to: '+14155550100', text: 'Your order is on its way.', reference: 'order-4711' },
    more: {
      'A call': { channel: 'voice_call', to: '+14155550100', text: 'Your table is ready at seven.', voice: 'joanna' },
    },
  },
  'list-messages': { query: { channel: 'sms', limit: '2' } },
  'get-message': { path: { id: 'some-id' } },
  'create-chat-completion': {
    body: chat,
    more: {
      'A stream': { ...chat, ...streamed },
      'A function to call': { model: chatModel, messages: [question], functions: [weather], function_call: 'auto' },
      "A function's result": {
        model: chatModel,
        messages: [
          question,
          { role: 'assistant', content: '', function_call: call },
          { role: 'function', name: 'get_weather', content: result },
        ],
        functions: [weather],
      },
    },
  },
  'create-completion': { body: completion, more: { 'A stream': { ...completion, ...streamed } } },
  'create-embeddings': { body: embeddings, more: { Base64: { ...embeddings, encoding_format: 'base64' } } },
  'create-openai-chat-completion': {
    body: chat,
    more: {
      'A stream': { ...chat, ...streamed, stream_options: { include_usage: true } },
      'A tool to call': { model: chatModel, messages: [question], tools: [{ type: 'function', function: weather }] },
      "A tool's result": {
        model: chatModel,
        messages: [
          question,
          { role: 'assistant', content: null, tool_calls: [{ id: 'call-1', type: 'function', function: call }] },
          { role: 'tool', tool_call_id: 'call-1', content: result },
        ],
        tools: [{ type: 'function', function: weather }],
      },
    },
  },
  'create-openai-completion': { body: completion, more: { 'A stream': { ...completion, ...streamed } } },
  'create-openai-embeddings': { body: embeddings },
  'get-openai-model': { path: { model: chatModel } },
  'create-response': {
    body: response,
    more: {
      'A stream': { ...response, ...streamed },
      'The next message': { ...response, input: 'And why?', previous_response_id: 'resp_hV3kQ9sTz1LmXw7RbYc' },
      'A function to call': { ...response, input: question.content, tools: [weatherTool] },
      "A function's result": {
        ...response,
        input: [
          question,
          { type: 'function_call', call_id: 'call_1', ...call },
          { type: 'function_call_output', call_id: 'call_1', output: result },
        ],
        tools: [weatherTool],
      },
    },
  },
  'compact-response': { body: { ...response, input: [question] } },
  'get-response': { path: { id: 'resp_some' } },
  'delete-response': { path: { id: 'resp_some' } },
  'list-input-items': { path: { id: 'resp_some' }, query: { limit: '10', order: 'asc' } },
  'cancel-response': { path: { id: 'resp_some' } },
  'create-anthropic-message': {
    body: anthropic,
    more: {
      'A stream': { ...anthropic, ...streamed },
      'A tool to call': { ...anthropic, messages: [question], tools: [anthropicWeather] },
      "A tool's result": {
        ...anthropic,
        messages: [
          question,
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: result }] },
        ],
        tools: [anthropicWeather],
      },
    },
  },
  'count-anthropic-tokens': { body: { ...chat, system: 'You are a concierge.' } },
};
