/** Limits on what a caller may send (docs/guides/plans-and-limits.md#limits). */
export const limits = {
  bodyBytes: 1024 * 1024,
  embeddingsBodyBytes: 5 * 1024 * 1024,
  jsonDepth: 32,
  messages: 2048,
  functions: 128,
  stopSequences: 4,
  /** A marker is far shorter; what a stream may be the beginning of one is held back. */
  stopSequenceCharacters: 256,
  embeddingTexts: 100,
  embeddingTokens: 8192,
  activeKeys: 50,
  /** Active and suspended together. */
  usableKeys: 100,
  /** Revoked and expired ones that are kept: the newest. */
  endedKeys: 200,
  /** Keys that an account creates, changes, rotates or revokes. */
  keyChangesPerMinute: 10,
  /** Subscriptions that an account begins, changes, cancels or resumes: each is a row of the ledger and an event for every webhook. */
  subscriptionChangesPerMinute: 10,
  webhooks: 10,
  /** Webhooks that an account creates, changes or deletes, and secrets that it rotates. */
  webhookChangesPerMinute: 30,
  /** Tests and redeliveries that an account requests. */
  webhookSendsPerMinute: 20,
  agents: 100,
  /** Code points. */
  agentInstructions: 8000,
  /** Of an agent's functions together, as JSON. */
  agentFunctionBytes: 65_536,
  /** Days. */
  maxRetentionDays: 365,
  /** Agents that an account creates, changes or deletes, and documents and conversations that it creates or deletes. */
  agentChangesPerMinute: 60,
  /** Maximum unpriced requests with an Idempotency-Key, per account and UTC day. Each one stores a row free of charge. */
  unpricedIdempotencyKeysPerDay: 20_000,
  /** Uploads of audio that an account begins, or tries to. */
  uploadsPerMinute: 60,
  /** UTF-8 bytes of a document's text; its JSON may have several for each. */
  documentBytes: 1024 * 1024,
  documentBodyBytes: 5 * 1024 * 1024,
  /** Chunks of an agent's documents together. */
  agentChunks: 2000,
  /** Conversations of an agent that have not expired. */
  agentConversations: 10_000,
  /** Code points of a message or a function's result. */
  messageCharacters: 100_000,
  /** Messages that a conversation ever has. */
  conversationMessages: 10_000,
  /** Code points of a message to a phone, far more than its segments take, so that a refusal can name their number. */
  messageTextCharacters: 10_000,
  messageSegments: 3,
  /** Code points of a call's text. */
  callCharacters: 1000,
} as const;

/** What a key's spending limit is counted in: days and months of UTC; `total` never resets. */
export const limitPeriods = ['day', 'month', 'total'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** In place of a session id: all sessions but the current one. No session has this id. */
export const otherSessions = 'others';
