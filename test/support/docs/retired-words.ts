/** A word of our own for what has a standard name (docs/glossary.md), and the paths that may have it all the same. */
export interface RetiredWord {
  readonly word: RegExp;
  readonly standard: string;
  readonly allowed: readonly string[];
}

/** Texts that are read as what people wrote: prompts, generated prose, lists of common words. */
const prose = [
  'bench/shared/bodies.ts',
  'bench/upstream/model-replies.ts',
  'functions/domain/inference/translation/translation.ts', // The instruction to the model.
  'local/demo-engine/',
  'local/sagemaker/words.ts',
  'test/local/demo-engine/', // What the demo engine is sent, and what it writes.
  'test/support/attacks/planted-secrets.ts', // A prompt and its completion.
  'test/unit/dashboard/pages/playground/tab/estimate-tokens.test.ts', // Instructions whose tokens are counted.
];

/** Tests whose prompts begin with “Tell me”. */
const prompts = [
  'test/api/inference/ai-sdk.test.ts',
  'test/api/inference/chat.test.ts',
  'test/api/inference/inference.test.ts',
  'test/api/inference/model-failures.test.ts',
  'test/api/openai/responses.test.ts',
  'test/api/openai/sdk.test.ts',
  'test/api/openai/streams.test.ts',
  'test/browser/accounts/addresses.ts',
  'test/browser/pages/first-loads.ts',
  'test/browser/pages/interruptions.ts',
  'test/browser/playground/chat.ts',
  'test/browser/playground/compare.ts',
  'test/browser/playground/get-code.ts',
  'test/browser/playground/playground.ts',
];

const retired = (word: RegExp, standard: string, allowed: readonly string[] = []): RetiredWord => ({
  word,
  standard,
  allowed,
});

/** Not in the name of anything; a file that is allowed one has a reason beside it. */
export const retiredIdentifiers: readonly RetiredWord[] = [
  retired(/answer/i, 'response', [
    'functions/repositories/idempotency.ts', // A stored attribute.
    'dashboard/src/pages/messages/message.ts', // A code of calls that nobody took, as carriers name it.
    'local/demo-engine/text/response-text.ts', // A field of generated JSON.
    'test/local/demo-tools.test.ts', // As above.
  ]),
  retired(/^(?:most|least)(?:[A-Z]|$)|^(?:fewest|shortest)|^longest[A-Z]/, 'max, min'),
  retired(/^(?:told|tells?|said|says?)$/, 'returns, reports, shows'),
  retired(/^lapse|Lapse/, 'expire', [
    'functions/repositories/idempotency.ts', // A stored attribute.
  ]),
  retired(/seenAs|surroundings/i, 'cast; context, props'),
  retired(/visitor/i, 'concurrency', ['test/docs/terms.test.ts']), // A class of Vite.
  retired(/placeOf|placesInFlight|claimRow|claimant/, 'placeholder; unique constraint item'),
  retired(/^(?:AnswerFormat|Post|Wire|Wait|Asking)$/, 'ResponseFormat; HttpRequest, TransportOptions'),
];

/** Folders and pages in standard terms throughout: identifiers, comments and texts. */
export const finished: readonly string[] = [
  'functions/',
  'local/',
  'lib/',
  'dashboard/',
  'bench/',
  'bin/',
  'test/',
  'docs/',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];

/** Not in any text of what is finished, nor in a label of the API document. */
export const retiredPhrases: readonly RetiredWord[] = [
  retired(/\banswer(?:s|ed)?\b/i, 'response, respond', [
    ...prose,
    'functions/repositories/idempotency.ts',
    'test/api/openai/sdk.test.ts', // What the demo engine writes of a function's result.
    'test/local/demo-tools.test.ts', // As above, and a field of its JSON.
  ]),
  retired(/\b(?:told|tells?|telling)\b/i, 'returns, reports, shows', [...prose, ...prompts]),
  retired(/\b(?:said|says?|saying)\b/i, 'returns, reports, shows', [
    ...prose,
    'test/api/inference/model-', // The prompt “Say it”.
    'test/support/models/hostile/hostile-calls.ts', // As above.
  ]),
  retired(/\bask(?:s|ed|ing)?\b/i, 'request, call', [
    ...prose,
    'test/attack/accounts/names-in-mails.test.ts', // An address that is registered.
    'test/browser/accounts/shared-browser', // Messages that are sent to a model.
    'test/support/requests/operator-actions.ts', // A reason that is sent, and kept in the audit trail.
  ]),
  retired(/\bat once\b/i, 'immediately; concurrently'),
  retired(/\banew\b/i, 'again'),
  retired(/\blaps(?:e|es|ed|ing)\b/i, 'expire'),
  retired(/\bin flight\b/i, 'concurrent'),
  retired(/\bsmall letters\b/i, 'lower-case'),
  retired(/as (?:it is|they are) made\b/i, 'streamed'),
  retired(/that the calendar has|gave an answer that is none|words that nobody asked for/i, 'a valid calendar date; …'),
  retired(/\bdeeds?\b/i, 'audit events'),
];
