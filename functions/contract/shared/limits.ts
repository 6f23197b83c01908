/** Limits on requests (docs/guides/plans-and-limits.md#limits). */
export const limits = {
  bodyBytes: 1024 * 1024,
  embeddingsBodyBytes: 5 * 1024 * 1024,
  jsonDepth: 32,
  messages: 2048,
  /** Output tokens of a chat without `max_tokens` (docs/specification.md#post-chatcompletions). */
  defaultChatTokens: 1024,
  /** Choices of a response for OpenAI clients. Each is a model call. */
  choices: 8,
  logitBiases: 1024,
  topLogprobs: 20,
  /** Earlier responses of a conversation that `previous_response_id` continues. */
  responseChain: 200,
  functions: 128,
  stopSequences: 4,
  /** Far longer than any real stop sequence. A stream holds back output that may begin one. */
  stopSequenceCharacters: 256,
  embeddingTexts: 100,
  /** Sent to the model in parts of `embeddingTexts`. */
  openAiEmbeddingTexts: 2048,
  embeddingTokens: 8192,
  passkeys: 10,
  activeKeys: 50,
  /** Total of active and suspended keys. */
  usableKeys: 100,
  /** Maximum revoked and expired keys that are kept, newest first. */
  endedKeys: 200,
  /** Keys that an account creates, changes, rotates or revokes. */
  keyChangesPerMinute: 10,
  /** Stored prompts of other members' keys that a person reads. Each one is an audit event, which stays. */
  contentReadsPerMinute: 60,
  /** Subscription changes of an account. Each one writes a ledger row and sends an event to every webhook. */
  subscriptionChangesPerMinute: 10,
  /** Shared organizations of a person. */
  organizations: 50,
  organizationMembers: 200,
  openInvitations: 50,
  webhooks: 10,
  /** Changes of webhooks and rotations of their secrets by an account. */
  webhookChangesPerMinute: 30,
  /** Test deliveries and redeliveries that an account requests. */
  webhookSendsPerMinute: 20,
  agents: 100,
  /** Unit: code points. */
  agentInstructions: 8000,
  /** Total for an agent's functions, as JSON. */
  agentFunctionBytes: 65_536,
  /** Unit: days. */
  maxRetentionDays: 365,
  /** Agent changes of an account, and its creations and deletions of documents and conversations. */
  agentChangesPerMinute: 60,
  /** Unpriced requests with an Idempotency-Key, per account and UTC day. Each one stores a row free of charge. */
  unpricedIdempotencyKeysPerDay: 20_000,
  /** Free counts of a prompt's tokens by an account. One takes up to 0.7 s of a processor. */
  tokenCountsPerMinute: 100,
  /** Calls of an account that fail uncharged because no reply fits their format, per UTC day. */
  mismatchesPerDay: 1000,
  /** Uploads of audio that an account starts, including failed ones. */
  uploadsPerMinute: 60,
  /** UTF-8 bytes of a document's text. JSON may use several bytes for each. */
  documentBytes: 1024 * 1024,
  documentBodyBytes: 5 * 1024 * 1024,
  /** Total chunks of an agent's documents. */
  agentChunks: 2000,
  /** Unexpired conversations of an agent. */
  agentConversations: 10_000,
  /** Code points of a message, or of a function's result. */
  messageCharacters: 100_000,
  /** Lifetime maximum of messages in a conversation. */
  conversationMessages: 10_000,
  /** Code points of an SMS. Far more than the allowed segments hold, so that the error can state their number. */
  messageTextCharacters: 10_000,
  messageSegments: 3,
  /** Code points of the text of a call. */
  callCharacters: 1000,
} as const;

/** Periods of a key's spending limit: UTC days and months. `total` never resets. */
export const limitPeriods = ['day', 'month', 'total'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Replaces a session id: all sessions except the current one. No session has this id. */
export const otherSessions = 'others';
