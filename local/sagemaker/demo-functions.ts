import { fillSchema } from './demo-arguments.ts';
import type { ChatBody, Tool } from './demo-request.ts';
import { hash, meaningfulWords } from './demo-words.ts';

/** A call that the engine makes; `arguments` is JSON that satisfies the tool's schema. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * The call to make: the forced tool, or the one that the last user message is about. Undefined means to answer in
 * words, as after a tool's result; `unknown` that the forced tool does not exist.
 */
export function chooseTool({ messages, tools, tool_choice: choice }: ChatBody): CalledTool | 'unknown' | undefined {
  if (choice === 'none') return undefined;
  const request = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (typeof choice === 'object') {
    const forced = tools.find(({ name }) => name === choice.function.name);
    return forced ? call(forced, request) : 'unknown';
  }
  const fitting = bestFit(tools, request);
  if (choice === 'required') {
    const tool = fitting ?? tools[0];
    return tool ? call(tool, request) : 'unknown';
  }
  const answered = messages.at(-1)?.role === 'tool' || messages.at(-1)?.role === 'function';
  return fitting && !answered ? call(fitting, request) : undefined;
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

/** The tool that shares most meaningful words with the request; words of its name count most. */
function bestFit(tools: readonly Tool[], request: string): Tool | undefined {
  const asked = stems(request);
  const scored = tools.map((tool) => {
    const shared = (text: string) => stems(text).intersection(asked).size;
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

function propertyNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return typeof schema.properties === 'object' && schema.properties !== null ? Object.keys(schema.properties) : [];
}

/** `getWeather_byCity` as words. */
function spaced(name: string): string {
  return name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_.-]/gu, ' ');
}

function stems(text: string): Set<string> {
  return new Set(meaningfulWords(text).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)));
}
