import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { createFaults } from '#local/shared/faults.ts';
import { listen, type Loopback } from '#local/shared/loopback.ts';
import { given, secret } from '../../attacks/planted-secrets.ts';
import { startTestDatabase } from '../../database/database.ts';
import { removeFolder } from '../../folder.ts';
import { apiRequest, type CallOptions } from '../api-request.ts';
import { killCommands, type LocalCommand, runLocal } from '../local-command.ts';
import { withMetrics } from './metrics-on.ts';

const reply = (usage: object, message: object) => ({
  status: 200,
  body: { choices: [{ message, finish_reason: 'stop' }], usage },
});
const modelError = (OriginalStatusCode: number) => ({
  status: 424,
  type: 'ModelError',
  body: {
    Message: secret('prompt'),
    OriginalMessage: `${secret('completion')} ${secret('prompt')}`,
    OriginalStatusCode,
  },
});
const usage = { prompt_tokens: 3, completion_tokens: 5 };
const moods = {
  responding: () => reply(usage, { content: secret('completion') }),
  miscounting: () => reply({ prompt_tokens: 1.5, completion_tokens: -1 }, { content: secret('completion') }),
  misshapen: () => reply(usage, { content: [secret('completion')], echo: secret('prompt') }),
  garbled: () => ({ status: 200, body: secret('completion') }),
  mumbling: () => ({ status: 424, type: 'ModelError', body: secret('completion') }),
  crashing: () => modelError(500),
  refusing: () => modelError(400),
  busy: () => modelError(503),
  away: () => ({ status: 503, type: 'ServiceUnavailable', body: { Message: secret('prompt') } }),
  odd: () => ({ status: 418, type: 'Teapot', body: { Message: secret('prompt') } }),
};

type Mood = keyof typeof moods;
export const allMoods = Object.keys(moods) as Mood[];

/** A SageMaker runtime whose responses and errors contain secrets. */
async function startLeakingModel(): Promise<Loopback & { become(mood: Mood): void }> {
  let mood: Mood = 'responding';
  const server = await listen((request, response) => {
    const { status, body, type } = { type: '', ...moods[mood]() };
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', ...(type && { 'x-amzn-errortype': type }) });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  return { ...server, become: (next) => void (mood = next) };
}

type Options = Omit<CallOptions, 'body'>;

/** The service in a separate process with all logs on. Its responses are searched for planted secrets. */
export function useWatchedService() {
  let folder: string;
  let model: Awaited<ReturnType<typeof startLeakingModel>>;
  let proxy: Loopback;
  let database: Awaited<ReturnType<typeof startTestDatabase>>;
  let command: LocalCommand;
  let origin: string;
  const faults = createFaults();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'platform-'));
    database = await startTestDatabase();
    proxy = await startDynamoProxy({ upstream: database.url, faults });
    model = await startLeakingModel();
    command = runLocal(['--port', '0', '--data', folder], {
      AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
      AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: model.url,
      ...withMetrics,
      POWERTOOLS_LOG_LEVEL: 'DEBUG',
    });
    origin = await command.ready;
  });
  afterAll(async () => {
    await killCommands();
    await Promise.all([proxy.close(), model.close(), database.close()]);
    await removeFolder(folder);
  });

  /** Number of responses by status. Errors have been searched for secrets. */
  const met = new Map<number, number>();
  const leaked = new Set<string>();

  async function send(method: string, path: string, body?: unknown, options: Options = {}) {
    const response = await fetch(origin + path, apiRequest(method, { body, ...options }));
    const text = await response.text();
    met.set(response.status, (met.get(response.status) ?? 0) + 1);
    const shown = text + JSON.stringify([...response.headers]);
    if (response.status >= 400)
      for (const name of given(shown)) leaked.add(`${name} by ${method} ${path.split('?')[0]} ${response.status}`);
    const session = /session=(tas_\w+)/.exec(response.headers.getSetCookie().join())?.[1];
    return { status: response.status, data: (JSON.parse(text) as { data: any }).data, session };
  }

  const local = (path: string, body: unknown) => send('POST', `/_local/${path}`, body);
  const auth = (path: string, body: unknown, options?: Options) => send('POST', `/api/auth/${path}`, body, options);
  const chat = (options: Options, about: object = {}) =>
    send(
      'POST',
      '/v1/chat/completions',
      { model: 'svc-1', messages: [{ role: 'user', content: secret('prompt') }], ...about },
      options,
    );

  /** The token of the newest email to the address. Waits until it arrives. */
  async function mailedToken(kind: string): Promise<string> {
    for (;;) {
      const mails = (await (await fetch(`${origin}/_local/mail`)).json()) as { to: string[]; text: string }[];
      const mail = mails.find(({ to, text }) => to.includes(secret('email')) && text.includes(`token=${kind}`));
      if (mail) return /token=(\w+)/.exec(mail.text)![1]!;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  const identityToken = async (): Promise<string> => {
    const body = JSON.stringify({ email: secret('email'), name: 'Ada' });
    return (
      (await (await fetch(`${origin}/_local/identity-token`, { method: 'POST', body })).json()) as { token: string }
    ).token;
  };

  const set = (table: 'accounts' | 'meters', Key: object, name: string, value: unknown) =>
    database.client.send(
      new UpdateCommand({
        TableName: tables[table].name,
        Key: Key as Record<string, unknown>,
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );

  return {
    met,
    leaked,
    send,
    local,
    auth,
    chat,
    mailedToken,
    identityToken,
    set,
    get model() {
      return model;
    },
    get database() {
      return database;
    },
    get command() {
      return command;
    },
    faults,
  };
}
