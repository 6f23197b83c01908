import { prices } from '#contract/billing/prices.ts';
import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import type { CallerResponse, CanaryParts, RequestHeaders, SendRequest } from './ports.ts';
import { call, demandRefusal, stream } from './responses.ts';
import { eventually, step } from './step.ts';

const { createChatCompletion } = inferenceRoutes;
const { createKey, revokeKey } = keyRoutes;

/** Makes a key, chats with it plainly and streamed, sees both charged exactly, and revokes it. */
export async function chatWithNewKey(parts: CanaryParts, send: SendRequest, session: RequestHeaders): Promise<void> {
  const { data: key } = await step('create a key', () =>
    call(send, createKey, { body: { name: 'canary' }, headers: session }),
  );
  const headers = { authorization: `Bearer ${key.key}` };
  const body = { model: parts.model, messages: [{ role: 'user', content: 'Name one river.' }], max_tokens: 16 };
  const before = await step('see its credits', () => creditsOf(send, headers));
  const plain = await step('chat', async () => {
    const { data, response } = await call(send, createChatCompletion, { body, headers });
    demandText(data.choices[0]?.message.content);
    return response;
  });
  const streamed = await step('stream a chat', async () => {
    const { text, response } = await stream(send, createChatCompletion, { body: { ...body, stream: true }, headers });
    demandText(text);
    return response;
  });
  await step('be charged', async () => {
    await demandCharges({ balance: before.balance, plain, streamed }, parts, () => creditsOf(send, headers));
  });
  await step('revoke the key', async () => {
    await call(send, revokeKey, { path: revokeKey.path.replace('{id}', key.id), headers: session });
    await demandRefusal(send, createChatCompletion, 'INVALID_API_KEY', { body, headers });
  });
}

const creditsOf = async (send: SendRequest, headers: RequestHeaders) =>
  (await call(send, creditRoutes.getCredits, { headers })).data;

function demandText(text: string | undefined): void {
  if (!text) throw new Error('the model returned no text');
}

interface Spent {
  /** Whole credits before the chats. */
  readonly balance: number;
  readonly plain: CallerResponse;
  readonly streamed: CallerResponse;
}

/** Throws unless each chat is a row of the ledger with the price of a chat, and the balance is less by them and nothing else. */
async function demandCharges(
  { balance, plain, streamed }: Spent,
  parts: CanaryParts,
  read: () => ReturnType<typeof creditsOf>,
): Promise<void> {
  const price = prices.chat.credits;
  const chats = [plain, streamed];
  const shown = plain.headers.get('x-credits-charged');
  if (shown !== String(price)) throw new Error(`the chat was charged ${shown ?? 'nothing'}, not ${price}`);
  const rows = await eventually(parts, async () => {
    const { entries } = await read();
    const charges = entries.filter(({ type }) => type === 'charge');
    return charges.length < chats.length ? undefined : charges;
  });
  if (!rows) throw new Error('the ledger lacks a charge');
  const requestIds = new Set(chats.map(({ headers }) => headers.get('x-request-id')));
  const isExact = rows.every(({ credits, requestId }) => credits === -price && requestIds.has(requestId ?? ''));
  const { balance: left, held } = await read();
  if (isExact && rows.length === chats.length && balance - left === price * chats.length && held === 0) return;
  throw new Error(`two chats took ${balance - left} credits in ${rows.length} charges, and ${held} are held`);
}
