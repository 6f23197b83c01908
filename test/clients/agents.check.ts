import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { agentClients, type Client, resultsFile, works } from '../../bin/openapi/clients.ts';
import { asFile, installPackages, versionIn } from './run-client.ts';
import { useStartedService } from './start.ts';

const execute = promisify(execFile);

const access = useStartedService(['--offer', 'test/clients/agents/offer.json']);
const model = 'agent-128k';
/** Microcredits per token (test/clients/agents/offer.json). */
const price = { input: 2, output: 8 };

interface Tokens {
  readonly input: number;
  readonly output: number;
}

const Usage = v.object({
  data: v.object({
    days: v.array(v.object({ credits: v.number(), tokens: v.object({ input: v.number(), output: v.number() }) })),
  }),
});

/** What the account has used so far. */
async function used(): Promise<Tokens & { readonly credits: number }> {
  const headers = { authorization: `Bearer ${access.key}` };
  const { data } = v.parse(Usage, await (await fetch(`${access.origin}/api/usage`, { headers })).json());
  const [day] = data.days;
  return { input: day?.tokens.input ?? 0, output: day?.tokens.output ?? 0, credits: day?.credits ?? 0 };
}

const ClaudeCode = v.object({
  is_error: v.literal(false),
  result: v.pipe(v.string(), v.nonEmpty()),
  usage: v.object({ input_tokens: v.number(), output_tokens: v.number() }),
});

const CodexEvent = v.looseObject({ type: v.string() });
const CodexEnd = v.object({ usage: v.object({ input_tokens: v.number(), output_tokens: v.number() }) });

const prompt = 'Say hello.';

/** They take 660 MB, so only `LONG` runs install them. */
describe.runIf(process.env['LONG'])('an agent on a model with 128k tokens', () => {
  let agents: string;
  let home: string;
  beforeAll(async () => {
    agents = await installPackages('agents');
    // Puts the program of the platform's package in place. The settings of npm leave out install scripts.
    await execute(process.execPath, [join(agents, 'node_modules/@anthropic-ai/claude-code/install.cjs')]);
    home = await testFolder();
    await mkdir(join(home, '.codex'));
    await mkdir(join(home, 'work'));
    const provider = `base_url = "${access.origin}/openai/v1"\nenv_key = "API_KEY"\nwire_api = "responses"\n`;
    const settings = `model = "${model}"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\n${provider}`;
    await writeFile(join(home, '.codex/config.toml'), settings);
  }, 330_000);
  afterAll(() => removeFolder(home));

  /** Runs a command in an empty folder and a home of its own. The service's addresses are its only settings. */
  function run(name: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
    const running = execute(join(agents, 'node_modules/.bin', name), args, {
      cwd: join(home, 'work'),
      env: { PATH: process.env['PATH'], HOME: home, ...environment },
      timeout: 180_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    running.child.stdin?.end();
    return running;
  }

  /** The session's own count of tokens is what the account has used and was charged for. */
  async function expectCharged(before: Awaited<ReturnType<typeof used>>, { input, output }: Tokens): Promise<void> {
    expect(input).toBeGreaterThan(1000);
    await expect.poll(used).toMatchObject({ input: before.input + input, output: before.output + output });
    const { credits } = await used();
    expect(credits - before.credits).toBeCloseTo((input * price.input + output * price.output) / 1e6, 6);
  }

  /** Stores the result for the guide. */
  async function expectStored(id: string): Promise<void> {
    const client: Client | undefined = agentClients.find((agent) => agent.id === id);
    if (!client) throw new Error(`no agent is called ${id}`);
    const version = await versionIn(agents, client.package);
    const results = asFile({ version, cases: { 'a session with tools': works } });
    await expect(results).toMatchFileSnapshot(fileURLToPath(resultsFile(client)));
  }

  it('Claude Code ends a session with an answer, and its tokens are charged', { timeout: 200_000 }, async () => {
    const before = await used();
    const { stdout } = await run('claude', ['-p', prompt, '--output-format', 'json'], {
      ANTHROPIC_BASE_URL: `${access.origin}/anthropic`,
      ANTHROPIC_AUTH_TOKEN: access.key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    const { usage } = v.parse(ClaudeCode, JSON.parse(stdout));
    await expectCharged(before, { input: usage.input_tokens, output: usage.output_tokens });
    await expectStored('claude-code');
  });

  it('Codex ends a session with an answer, and its tokens are charged', { timeout: 200_000 }, async () => {
    const before = await used();
    const { stdout } = await run('codex', ['exec', '--json', '--skip-git-repo-check', prompt], {
      API_KEY: access.key,
      CODEX_HOME: join(home, '.codex'),
    });
    const events = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => v.parse(CodexEvent, JSON.parse(line)));
    expect(JSON.stringify(events)).toContain('agent_message');
    const { usage } = v.parse(
      CodexEnd,
      events.find(({ type }) => type === 'turn.completed'),
    );
    await expectCharged(before, { input: usage.input_tokens, output: usage.output_tokens });
    await expectStored('codex');
  });
});
