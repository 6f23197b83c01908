import { expect } from 'vitest';
import { patience } from '../many.ts';
import type { ScriptedService } from '../service/scripted-service.ts';
import type { Person, TestService } from '../service/service.ts';

export type Owner = Awaited<ReturnType<typeof agentOwner>>;

export async function agentOwner(
  service: Pick<TestService, 'call' | 'open' | 'person'>,
  about: object = {},
  somebody?: Person,
) {
  const person = somebody ?? (await service.person({ planRank: 4 }));
  const { key } = person;
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, path, { key, ...(body !== undefined && { body }) });
  const body = { name: 'Guide', model: 'svc-1', instructions: 'Reply briefly.', ...about };
  const agent = (await call('POST', '/api/agents', body)).body.data;
  const path = `/api/agents/${agent.id}`;
  const credits = async (): Promise<number> => (await call('GET', '/api/credits')).body.data.balance;

  async function conversation() {
    const { id } = (await call('POST', `${path}/conversations`)).body.data;
    const at = `${path}/conversations/${id}`;
    return {
      id,
      path: at,
      send: (message: object) => call('POST', `${at}/messages`, message),
      write: (content: string) => call('POST', `${at}/messages`, { content }),
      get: async (query = '') => (await call('GET', at + query)).body.data,
      /** The envelopes of a streamed turn. */
      async stream(message: object): Promise<any[]> {
        const response = await service.open(`${at}/messages`, key, { ...message, stream: true });
        const events = (await response.text()).split('\n\n').filter(Boolean);
        return events.map((event) => JSON.parse(event.replace(/^data: /, '')));
      },
    };
  }

  const documents = async (): Promise<any[]> => (await call('GET', `${path}/documents?limit=200`)).body.data.items;

  /** Returns a document as listed after its indexing has ended. */
  async function indexed(id: string) {
    const find = async () => (await documents()).find((document) => document.id === id);
    await expect.poll(find, { timeout: patience, interval: 50 }).not.toMatchObject({ status: 'indexing' });
    return find();
  }

  async function addDocument(document: { name: string; text: string }) {
    const made = await call('POST', `${path}/documents`, document);
    if (made.status !== 201) throw new Error(`${made.status}: ${made.body.detail}`);
    return indexed(made.body.data.id);
  }

  return { ...person, agent, path, call, credits, conversation, documents, indexed, addDocument };
}

export async function beginConversation(service: ScriptedService, about: object = {}) {
  const owner = await agentOwner(service.calls, about, service.person);
  return { owner, conversation: await owner.conversation() };
}
