import type { CompactedResponse, ResponseObject } from '#contract/inference/response-items.ts';
import type { responseRoutes } from '#contract/routes/responses.ts';
import type { ChatOrder } from '#domain/inference/order.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';

export const createResponse: PricedOperation<typeof responseRoutes.createResponse, ChatOrder<ResponseObject>> = {
  open: async ({ responses }, { input, caller, requestId, prove }) =>
    (await responses()).order(input.body, { accountId: caller.accountId, requestId, prove }),
  modelOf: (_, { input }) => input.body.model,
  run: async ({ responses }, { order, requestId, setCost }) => {
    const service = await responses();
    if (order.stream) return service.stream(order, requestId);
    const { body, cost, usage } = await service.create(order, requestId);
    setCost(cost, usage);
    return body;
  },
};

export const compactResponse: PricedOperation<typeof responseRoutes.compactResponse, ChatOrder<CompactedResponse>> = {
  open: async ({ responses }, { input, caller, requestId, prove }) =>
    (await responses()).orderCompaction(input.body, { accountId: caller.accountId, requestId, prove }),
  modelOf: (_, { input }) => input.body.model,
  run: async ({ responses }, { order, requestId, setCost }) => {
    const { body, cost, usage } = await (await responses()).compact(order, requestId);
    setCost(cost, usage);
    return body;
  },
};

export const getResponse: Operation<typeof responseRoutes.getResponse> = async ({ responses }, { input, caller }) =>
  (await responses()).get(caller.accountId, input.path.id);

export const deleteResponse: Operation<typeof responseRoutes.deleteResponse> = async (
  { responses },
  { input, caller },
) => (await responses()).remove(caller.accountId, input.path.id);

export const listInputItems: Operation<typeof responseRoutes.listInputItems> = async (
  { responses },
  { input, caller },
) => (await responses()).inputItems(caller.accountId, input.path.id, input.query);

export const cancelResponse: Operation<typeof responseRoutes.cancelResponse> = async (
  { responses },
  { input, caller },
) => (await responses()).cancel(caller.accountId, input.path.id);
