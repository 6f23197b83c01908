/** Maximum characters: read from a model's message, and returned to the caller. */
const maxRead = 1000;
const maxReason = 200;

/** Fields of requests, whose paths may appear in a reason: `messages[0].content`. */
const fields = [
  'messages',
  'message',
  'prompt',
  'input',
  'inputs',
  'content',
  'tools',
  'tool_choice',
  'tool_calls',
  'functions',
  'function_call',
  'response_format',
  'stop',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'max_tokens',
  'file',
  'language',
].join('|');

/**
 * Words that may reach callers. Everything else could be a host, path, key or internal name: a mix of letters and
 * digits, capitals within a word, or other punctuation.
 */
const allowed: readonly RegExp[] = [
  /^[A-Za-z]?[a-z]{1,24}(?:['’][a-z]{1,3})?$/,
  /^(?:non|multi|pre|re|auto|over|left|right|zero|one|single|base)-[a-z]{1,24}$/i,
  /^[A-Z]{1,5}$/,
  /^[a-z]{1,24}(?:_[a-z]{1,24}){1,4}$/,
  new RegExp(`^(?:${fields})(?:\\[\\d{1,4}\\]?|\\.\\d{1,4}|\\.[a-z_]{1,24}){0,6}$`),
  /^-?\d{1,9}(?:\.\d{1,6})?%?$/,
  /^(?:[<>=]=?|!=|[-–+/])$/,
];

/** Words that introduce a quoted name, which is omitted. */
const naming = new Set(['model', 'endpoint', 'host', 'server', 'deployment', 'user', 'account', 'key', 'token']);

/**
 * Returns the first sentence of a model's message about an invalid request, for its caller: the clauses before the first
 * word that is not plainly language, a number or a field. Undefined if there is none.
 */
export function reasonIn(message: string): string | undefined {
  const text = message
    .slice(0, maxRead)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replace(/^(?:The model returned the following errors|Input validation error|[A-Za-z]*Error(?: code)?): ?/, '')
    .trim();
  if (/^[[{<]/.test(text)) return undefined;
  const [sentence = ''] = text.split(/(?<=[^\s.][.!?])(?: |$)/, 1);
  const words = sentence.split(' ');
  const kept: string[] = [];
  for (const [index, word] of words.entries()) {
    const isName = /^["'`]/.test(word) && naming.has(words[index - 1]?.toLowerCase() ?? '');
    if (isName) continue;
    if (!allowed.some((pattern) => pattern.test(plain(word)))) {
      const clause = kept.findLastIndex((earlier) => /[,;:]$/.test(earlier));
      kept.splice(clause + 1);
      break;
    }
    kept.push(word);
  }
  if (kept.length < 2) return undefined;
  const reason = kept.join(' ').replace(/(?<![\s.,;:!?])[\s.,;:!?]+$/, '');
  return reason.length <= maxReason ? `${reason}.` : `${reason.slice(0, maxReason).replace(/\s\S*$/, '')}…`;
}

/** The word without quotes, brackets and punctuation around it. */
const plain = (word: string): string =>
  word.replace(/^[("'`[{]+/, '').replace(/(?<![)"'`\]},;:.!?])[)"'`\]},;:.!?]+$/, '');
