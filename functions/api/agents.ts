import type { agentRoutes } from '#contract/routes/agents.ts';
import type { conversationRoutes } from '#contract/routes/conversations.ts';
import type { documentRoutes } from '#contract/routes/documents.ts';
import type { DocumentOrder } from '#domain/agents/indexing.ts';
import type { TurnOrder } from '#domain/agents/turn-order.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';

export const changeAgent: Operation<typeof agentRoutes.changeAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().change(caller.accountId, input.path.id, input.body);

export const createConversation: Operation<typeof conversationRoutes.createConversation> = async (
  { agents },
  { input, caller },
) => (await agents()).conversations().create(caller.accountId, input.path.id);

export const createMessage: PricedOperation<typeof conversationRoutes.createMessage, TurnOrder> = {
  open: async ({ agents }, { input, caller, prove, namesModel }) => {
    const turns = (await agents()).turns();
    const order = await turns.open(caller.accountId, input.path, input.body, namesModel);
    await turns.check(order, prove);
    return order;
  },
  modelOf: async ({ agents }, { input, caller }) => (await agents()).turns().modelOf(caller.accountId, input.path),
  run: async ({ agents }, { order, requestId, setCost }) => {
    const turns = (await agents()).turns();
    if (order.stream) return turns.stream(order, requestId);
    const { turn, cost, usage } = await turns.take(order, requestId);
    setCost(cost, usage);
    return turn;
  },
};

export const deleteConversation: Operation<typeof conversationRoutes.deleteConversation> = async (
  { agents },
  { input, caller },
) => (await agents()).conversations().remove(caller.accountId, input.path);

export const getConversation: Operation<typeof conversationRoutes.getConversation> = async (
  { agents },
  { input, caller },
) => (await agents()).conversations().get(caller.accountId, input.path, input.query);

export const listConversations: Operation<typeof conversationRoutes.listConversations> = async (
  { agents },
  { input, caller },
) => (await agents()).conversations().list(caller.accountId, input.path.id, input.query);

export const createAgent: Operation<typeof agentRoutes.createAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().create(caller.accountId, input.body);

export const deleteAgent: Operation<typeof agentRoutes.deleteAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().remove(caller.accountId, input.path.id);

export const createDocument: PricedOperation<typeof documentRoutes.createDocument, DocumentOrder> = {
  order: async ({ agents }, body) => (await agents()).adding().order(body),
  open: async ({ agents }, { input, caller, order }) => {
    await (await agents()).adding().check(caller.accountId, input.path.id, order);
    return order;
  },
  run: async ({ agents }, { input, caller, order, openHold }) =>
    (await agents()).adding().add(caller.accountId, input.path.id, order, openHold),
};

export const deleteDocument: Operation<typeof documentRoutes.deleteDocument> = async ({ agents }, { input, caller }) =>
  (await agents()).documents().remove(caller.accountId, input.path);

export const listDocuments: Operation<typeof documentRoutes.listDocuments> = async ({ agents }, { input, caller }) =>
  (await agents()).documents().list(caller.accountId, input.path.id, input.query);

export const getAgent: Operation<typeof agentRoutes.getAgent> = async ({ agents }, { input, caller }) =>
  (await agents()).management().get(caller.accountId, input.path.id);

export const listAgents: Operation<typeof agentRoutes.listAgents> = async ({ agents }, { input, caller }) =>
  (await agents()).management().list(caller.accountId, input.query);
