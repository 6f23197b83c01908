import { analysisOf } from '../analysis/analysis.ts';
import { fillSchema } from '../functions/arguments.ts';
import type { ChatBody } from '../request.ts';
import { nearestSentence, systemText } from './passages.ts';
import { sentences, wantedLength } from './prose.ts';
import { translate, translationOrder } from './translation.ts';

type Message = ChatBody['messages'][number];

const whoIAm = 'This is the built-in demo engine of the platform, not a language model';

/** The text generated for a conversation when no function is called: words, or JSON where `response_format` requests it. */
export function responseText({ messages, response_format: format }: ChatBody, maxTokens: number | undefined): string {
  const words = chatText(messages, maxTokens);
  if (format?.type === 'json_object') return JSON.stringify({ answer: words });
  if (format?.type !== 'json_schema') return words;
  const request = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return JSON.stringify(analysisOf(format.json_schema, request) ?? fillSchema(format.json_schema?.schema, request));
}

function chatText(messages: readonly Message[], maxTokens: number | undefined): string {
  const last = messages.at(-1);
  const questions = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const question = questions.at(-1) ?? last?.content ?? '';
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool' && role !== 'function') + 1);
  if (results.length > 0) return textFromResults(results, question);

  const system = messages.filter(({ role }) => role === 'system' || role === 'developer').map(({ content }) => content);
  const { instructions, passages } = systemText(system.join('\n'));
  const order = translationOrder(instructions);
  if (order) return translate(question, order);
  if (passages.length > 0) return `${textFromPassages(question, passages)} ${whoIAm}.`;

  const instructed = /\S/.test(instructions) ? ` I was told: “${quote(instructions, 12)}”.` : '';
  const turn = questions.length > 1 ? ` This is your message number ${questions.length}.` : '';
  const verb = question.trimEnd().endsWith('?') ? 'asked' : 'wrote';
  const prose = sentences(question, wantedLength(question, maxTokens));
  return `${whoIAm}.${instructed}${turn} You ${verb}: “${quote(question, 24)}” ${prose}`;
}

/** Carries a prompt on. */
export function continuePrompt(prompt: string, maxTokens: number | undefined): string {
  const gap = prompt === '' || /\s$/.test(prompt) ? '' : ' ';
  return `${gap}(by the built-in demo engine) … ${sentences(prompt, wantedLength(prompt, maxTokens))}`;
}

function textFromPassages(question: string, passages: Parameters<typeof nearestSentence>[1]): string {
  const found = nearestSentence(question, passages);
  if (found) return `According to ${quote(found.document, 12)}: ${quote(found.text, 60)}`;
  return `The documents do not say anything about “${quote(question, 24)}”.`;
}

function textFromResults(results: readonly Message[], question: string): string {
  const reports = results.map(({ name, content }) => {
    const source = name ? `The function ${name}` : 'The function';
    return `${source} answered: ${readable(content)}.`;
  });
  const conclusion = question ? ` That is the answer to “${quote(question, 24)}”, as far as a demo can tell.` : '';
  return `${reports.join(' ')}${conclusion} ${whoIAm}.`;
}

/** A flat JSON object as a list in words; anything else as it is, shortened. */
function readable(result: string): string {
  const value = parseJson(result);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return quote(result, 60);
  const facts = Object.entries(value).map(([key, fact]) => {
    const shown = typeof fact === 'object' ? JSON.stringify(fact) : String(fact);
    return `${key.replaceAll('_', ' ')} is ${shown}`;
  });
  return quote(facts.join(', '), 60);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** On one line, the first words only. */
function quote(text: string, maxWords: number): string {
  const words = text.split(/\s+/, maxWords + 1).filter(Boolean);
  return words.length > maxWords ? `${words.slice(0, maxWords).join(' ')} …` : words.join(' ');
}
