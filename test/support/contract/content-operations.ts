import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { services } from '#runtime/services/container.ts';
import type { Caller } from './every-operation.ts';

const Created = v.object({ id: v.pipe(v.union([v.string(), v.number()]), v.transform(String)) });
const CreatedKey = v.object({ ...Created.entries, key: v.string() });

/** Stores a call with a key. The content is written after the response. */
export async function storeContent({ send, inTurn }: Caller, cookie: string): Promise<void> {
  const { id, key } = v.parse(CreatedKey, (await send('createKey', { cookie })).data);
  await send('setKeyContent', { cookie, path: { id } });
  const chat = v.parse(Created, (await send('createChatCompletion', { key })).data);
  const path = { id, requestId: chat.id.slice('chatcmpl-'.length) };
  const accountId = Number(v.parse(Created, (await send('me', { cookie })).data).id);
  const contents = await services().contents();
  while (!(await contents.find({ accountId, keyId: id, requestId: path.requestId }))) await sleep(10);
  await inTurn(['getRequestContent', 'deleteRequestContent', 'deleteKeyContent', 'revokeKey'], { cookie, path });
}
