import { models } from '#contract/inference/models.ts';

/** A body or query that breaks one rule, and the rule with its field. */
export type BrokenRule = readonly [rule: string, broken: object];

const half = '\ud83d';
const long = (characters: number) => '😀'.repeat(characters + 1);
const agent = { name: 'Guide', model: 'svc-1' };
const chatModels = models.filter(({ capabilities }) => capabilities.includes('chat')).map(({ id }) => id);
const choice = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const named = (name: string) => ({ name });

/** The rules of a text field with a maximum length. */
const ofText = (field: string, max: number, withText: (text: unknown) => object): BrokenRule[] => [
  [`${field} must be a string`, withText(5)],
  [`${field} must be well-formed Unicode`, withText(half)],
  [`${field} must have at most ${max} characters`, withText(long(max))],
];
const ofName = (field: string, withText: (text: unknown) => object): BrokenRule[] => [
  ...ofText(field, 64, withText).slice(0, 2),
  [`${field} must not be empty`, withText('')],
  [`${field} must have at most 64 characters`, withText('n'.repeat(65))],
  [`${field} must contain only letters, digits, _, . and -`, withText('a name')],
];
const withFunctions = (functions: unknown) => ({ ...agent, functions });

/** These apply to changes too, except those for missing fields. */
export const ofAgents: readonly BrokenRule[] = [
  ['The body must be a JSON object', []],
  ['name is required', { model: 'svc-1' }],
  ...ofText('name', 64, (name) => ({ ...agent, name })),
  ['name must not be empty', { ...agent, name: '' }],
  ['model is required', { name: 'Guide' }],
  [`model must name a model for chat: ${choice.format(chatModels)}`, { ...agent, model: 'svc-embed' }],
  ...ofText('instructions', 8000, (instructions) => ({ ...agent, instructions })),
  ['functions must be a list', withFunctions({})],
  ['functions.0 must be an object', withFunctions([5])],
  ['functions.0.name is required', withFunctions([{}])],
  ...ofName('functions.0.name', (name) => withFunctions([{ name }])),
  ['functions.0.description must be a string', withFunctions([{ name: 'a', description: 5 }])],
  ['functions.0.description must be well-formed Unicode', withFunctions([{ name: 'a', description: half }])],
  ['functions.0.parameters must be a JSON schema object', withFunctions([{ name: 'a', parameters: [] }])],
  ['functions.0.parameters must be well-formed Unicode', withFunctions([{ name: 'a', parameters: { a: half } }])],
  ['functions must have at most 128 functions', withFunctions(Array.from({ length: 129 }, (_, at) => named(`f${at}`)))],
  ['functions must not have two functions with the same name', withFunctions([named('a'), named('a')])],
  [
    'functions must have at most 65536 bytes as JSON',
    withFunctions([{ name: 'a', description: 'ä'.repeat(65_536 / 2) }]),
  ],
  ['temperature must be a number', { ...agent, temperature: '1' }],
  ['temperature must be at least 0', { ...agent, temperature: -0.1 }],
  ['temperature must be at most 2', { ...agent, temperature: 2.1 }],
  ['maxTokens must be a number', { ...agent, maxTokens: '1' }],
  ['maxTokens must be an integer', { ...agent, maxTokens: 1.5 }],
  ['maxTokens must be positive', { ...agent, maxTokens: 0 }],
  ['truncation must be drop, summarize or error', { ...agent, truncation: 'cut' }],
  ['retentionDays must be a number', { ...agent, retentionDays: null }],
  ['retentionDays must be an integer', { ...agent, retentionDays: 1.5 }],
  ['retentionDays must be positive', { ...agent, retentionDays: 0 }],
  ['retentionDays must be at most 365', { ...agent, retentionDays: 366 }],
];

const mebibyte = 1024 * 1024;
const document = (text: unknown) => ({ name: 'Handbook', text });

export const ofDocuments: readonly BrokenRule[] = [
  ['The body must be a JSON object', []],
  ['name is required', { text: 'a' }],
  ...ofText('name', 200, (name) => ({ name, text: 'a' })),
  ['name must not be empty', { name: '', text: 'a' }],
  ['text is required', { name: 'Handbook' }],
  ['text must be a string', document(5)],
  ['text must be well-formed Unicode', document(half)],
  ['text must not be empty', document(' \n\t\u3000')],
  ['text must be text, without control characters', document('PK\u0003\u0004\u0000')],
  ['text must have at most 1048576 bytes as UTF-8', document(`${'ä'.repeat(mebibyte / 2)}a`)],
  [
    'text must have at most 2000 chunks; it has 2001. Split it into several documents',
    document(`${'a'.repeat(501)}. `.repeat(2001)),
  ],
];

const result = (about: object) => ({ functionResults: [about] });
const good = { name: 'get_weather', content: '21' };

export const ofMessages: readonly BrokenRule[] = [
  ['The body must be a JSON object', []],
  ['content is required without functionResults', {}],
  ...ofText('content', 100_000, (content) => ({ content })),
  ['content must not be empty', { content: '' }],
  ['functionResults must not be sent together with content', { content: 'a', ...result(good) }],
  ['functionResults must be a list', { functionResults: good }],
  ['functionResults must not be empty', { functionResults: [] }],
  ['functionResults must have one result, because a message has one call', { functionResults: [good, good] }],
  ['functionResults.0 must be an object', { functionResults: ['21'] }],
  ['functionResults.0.name is required', result({ content: '21' })],
  ...ofName('functionResults.0.name', (name) => result({ ...good, name })),
  ['functionResults.0.content is required', result({ name: 'get_weather' })],
  ...ofText('functionResults.0.content', 100_000, (content) => result({ ...good, content })),
  ['stream must be true or false', { content: 'a', stream: 'yes' }],
];

export const ofLists: readonly BrokenRule[] = [
  ['cursor must not be empty', { cursor: '' }],
  ['cursor must have at most 64 characters', { cursor: 'c'.repeat(65) }],
  ['cursor must be the nextCursor of the previous page', { cursor: '1; drop' }],
  ...['0', '201', '1.5', 'all', ''].map((limit): BrokenRule => ['limit must be a number from 1 to 200', { limit }]),
];
