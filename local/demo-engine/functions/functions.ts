import { hash, meaningfulWords } from '../../sagemaker/words.ts';
import type { ChatBody, Tool } from '../request.ts';
import { fillSchema } from './arguments.ts';

/** `arguments` is JSON that satisfies the tool's schema. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * Chooses the forced tool, or the tools that the last user message mentions. An empty list means a text reply, for
 * example after a tool's result. `unknown`: the forced tool does not exist.
 */
export function chooseTools(body: ChatBody): readonly CalledTool[] | 'unknown' {
  const { messages, tools, tool_choice: choice, parallel_tool_calls: several } = body;
  if (choice === 'none') return [];
  const request = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (typeof choice === 'object') {
    const forced = tools.find(({ name }) => name === choice.function.name);
    return forced ? [call(forced, request)] : 'unknown';
  }
  const [best, ...further] = matchingTools(tools, request);
  if (choice === 'required') {
    const first = best ?? tools[0];
    return first ? calls([first, ...(several ? further : [])], request) : 'unknown';
  }
  const hasResult = messages.at(-1)?.role === 'tool' || messages.at(-1)?.role === 'function';
  return best && !hasResult ? calls([best, ...(several ? further : [])], request) : [];
}

function calls(tools: readonly Tool[], request: string): CalledTool[] {
  if (tools.length === 1) return tools.map((tool) => call(tool, request));
  const clauses = request.split(/[.,;?!]\s|\b(?:and|then)\b/i);
  return tools.map((tool) => {
    const own = clauses.filter((clause) => !nameStems(tool).isDisjointFrom(stems(clause)));
    return call(tool, own.length > 0 ? own.join(' ') : request);
  });
}

function call(tool: Tool, request: string): CalledTool {
  const text = JSON.stringify(fillSchema(tool.parameters ?? { type: 'object' }, request));
  return {
    id: `call_${hash(tool.name + request + text)
      .toString(16)
      .padStart(8, '0')}`,
    name: tool.name,
    arguments: text,
  };
}

function matchingTools(tools: readonly Tool[], request: string): Tool[] {
  const best = bestFit(tools, request);
  if (!best) return [];
  const matching = [best];
  let unclaimed = stems(request).difference(nameStems(best));
  for (const tool of tools) {
    const name = nameStems(tool);
    if (tool === best || name.isDisjointFrom(unclaimed)) continue;
    matching.push(tool);
    unclaimed = unclaimed.difference(name);
  }
  return matching;
}

function bestFit(tools: readonly Tool[], request: string): Tool | undefined {
  const requested = stems(request);
  const scored = tools.map((tool) => {
    const shared = (text: string) => stems(text).intersection(requested).size;
    const properties = propertyNames(tool.parameters).join(' ');
    return {
      tool,
      score: 3 * shared(spaced(tool.name)) + 2 * shared(spaced(properties)) + shared(tool.description ?? ''),
    };
  });
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (leader, next) => (next.score > (leader?.score ?? 0) ? next : leader),
    undefined,
  );
  return best?.tool;
}

const nameStems = ({ name }: Tool): Set<string> => stems(spaced(name));

function propertyNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return typeof schema.properties === 'object' && schema.properties !== null ? Object.keys(schema.properties) : [];
}

/** Splits `getWeather_byCity` into words. */
function spaced(name: string): string {
  return name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_.-]/gu, ' ');
}

function stems(text: string): Set<string> {
  return new Set(meaningfulWords(text).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)));
}
