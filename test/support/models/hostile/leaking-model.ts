import { type Loopback, listen } from '#local/shared/loopback.ts';
import { secret } from '../../attacks/planted-secrets.ts';

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
export async function startLeakingModel(): Promise<Loopback & { become(mood: Mood): void }> {
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
