import { readFileSync } from 'node:fs';
import * as v from 'valibot';

/** A client library that the matrix runs against the service (docs/guides/openai-sdks.md#clients). */
export interface Client {
  /** Name of its program below test/clients/js or python, and of its results. */
  readonly id: string;
  readonly title: string;
  /** Package whose version the matrix states. */
  readonly package: string;
  readonly language: 'JavaScript' | 'Python' | 'command line';
  /** Required settings besides the base URL and the key. Default: none. */
  readonly needs?: string;
}

const anthropicUrl = 'base URL `/anthropic`';

/** Clients that are development dependencies of the project, so `npm test` runs them. */
export const installedClients: readonly Client[] = [
  { id: 'openai', title: 'OpenAI SDK', package: 'openai', language: 'JavaScript' },
  { id: 'ai-sdk-openai', title: 'AI SDK, OpenAI', package: '@ai-sdk/openai', language: 'JavaScript' },
  {
    id: 'ai-sdk-openai-compatible',
    title: 'AI SDK, OpenAI-compatible',
    package: '@ai-sdk/openai-compatible',
    language: 'JavaScript',
    needs: '`supportsStructuredOutputs: true` for structured output',
  },
  {
    id: 'ai-sdk-anthropic',
    title: 'AI SDK, Anthropic',
    package: '@ai-sdk/anthropic',
    language: 'JavaScript',
    needs: 'base URL `/anthropic/v1`',
  },
  {
    id: 'anthropic',
    title: 'Anthropic SDK',
    package: '@anthropic-ai/sdk',
    language: 'JavaScript',
    needs: anthropicUrl,
  },
];

/** Clients of test/clients/further/package.json. */
export const furtherClients: readonly Client[] = [
  {
    id: 'openai-agents',
    title: 'OpenAI Agents SDK',
    package: '@openai/agents',
    language: 'JavaScript',
    needs: '`setTracingDisabled(true)`, because traces go to OpenAI',
  },
  { id: 'langchain', title: 'LangChain', package: '@langchain/openai', language: 'JavaScript' },
  { id: 'llamaindex', title: 'LlamaIndex', package: '@llamaindex/openai', language: 'JavaScript' },
];

/** Clients of test/clients/requirements.txt. */
export const pythonClients: readonly Client[] = [
  { id: 'openai_sdk', title: 'OpenAI SDK', package: 'openai', language: 'Python' },
  { id: 'anthropic_sdk', title: 'Anthropic SDK', package: 'anthropic', language: 'Python', needs: anthropicUrl },
  {
    id: 'openai_agents_sdk',
    title: 'OpenAI Agents SDK',
    package: 'openai-agents',
    language: 'Python',
    needs: '`set_tracing_disabled(True)`, because traces go to OpenAI',
  },
  { id: 'langchain_openai_sdk', title: 'LangChain', package: 'langchain-openai', language: 'Python' },
  {
    id: 'llama_index_sdk',
    title: 'LlamaIndex',
    package: 'llama-index-core',
    language: 'Python',
    needs: '`OpenAILike` with the `context_window`',
  },
  { id: 'instructor_sdk', title: 'Instructor, every mode', package: 'instructor', language: 'Python' },
  { id: 'pydantic_ai_sdk', title: 'Pydantic AI', package: 'pydantic-ai-slim', language: 'Python' },
  {
    id: 'litellm_sdk',
    title: 'LiteLLM',
    package: 'litellm',
    language: 'Python',
    needs: 'the prefix `openai/` or `anthropic/`',
  },
];

/** Clients of test/clients/agents/package.json. */
export const agentClients: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    language: 'command line',
    needs: '[its settings](#command-line-agents)',
  },
  {
    id: 'codex',
    title: 'Codex',
    package: '@openai/codex',
    language: 'command line',
    needs: '[its settings](#command-line-agents)',
  },
];

/**
 * Results of a client: its version, and the outcome of each case. `npm test` and `npm run test:clients` compare them.
 */
export const ClientResults = v.object({
  version: v.string(),
  cases: v.record(v.string(), v.string()),
});
export type ClientResults = v.InferOutput<typeof ClientResults>;

/** The outcome of a successful case. Any other outcome is the reason of the failure. */
export const works = 'works';

export const resultsFile = ({ id }: Client): URL => new URL(`../../test/clients/results/${id}.json`, import.meta.url);

export const resultsOf = (client: Client): ClientResults =>
  v.parse(ClientResults, JSON.parse(readFileSync(resultsFile(client), 'utf8')));

/** One row per client: its package, version, the cases that work, and the setting that it needs. */
export const clientRows = (): readonly (readonly string[])[] =>
  [...installedClients, ...furtherClients, ...pythonClients, ...agentClients].map((client) => {
    const { version, cases } = resultsOf(client);
    const working = Object.entries(cases).flatMap(([name, outcome]) => (outcome === works ? name : []));
    const name = `${client.title} (${client.language}: \`${client.package}\`)`;
    return [name, version, working.join(', '), client.needs ?? ''];
  });
