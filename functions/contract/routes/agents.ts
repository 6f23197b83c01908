import { Agent, AgentChange, AgentList, AgentPath, AgentQuery, NewAgent } from '../agents/agents.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { developerAccess } from './common-settings.ts';

/** Accounts contain sessions and throttles. The key is in the meter. */
export const reading = { tables: { accounts: 'write', meters: 'read', agents: 'read' } } as const;
const changing = { tables: { accounts: 'write', meters: 'read', agents: 'write' } } as const;
export const deleting = { tables: { ...changing.tables, agents: 'delete' } } as const;
export const once = { tables: { ...changing.tables, idempotency: 'delete' } } as const;
export const priced = {
  tables: { accounts: 'write', meters: 'write', agents: 'write', idempotency: 'delete' },
  inference: true,
} as const;

export const path = '/api/agents';
export const created = { status: 201, message: 'SUCCESS' };

/** Agents: models with instructions, functions and documents. */
export const agentRoutes = {
  createAgent: defineRoute({
    ...developerAccess,
    id: 'create-agent',
    method: 'POST',
    path,
    summary: 'Create an agent',
    bodyInput: NewAgent,
    output: Agent,
    success: created,
    refusals: ['INVALID_STATE', 'RATE_LIMIT_EXCEEDED'],
    idempotent: true,
    uses: once,
  }),
  listAgents: defineRoute({
    ...developerAccess,
    id: 'list-agents',
    method: 'GET',
    path,
    summary: 'List the agents, newest first',
    queryInput: AgentQuery,
    output: AgentList,
    uses: reading,
  }),
  getAgent: defineRoute({
    ...developerAccess,
    id: 'get-agent',
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Get an agent',
    pathInput: AgentPath,
    output: Agent,
    refusals: ['NOT_FOUND'],
    uses: reading,
  }),
  changeAgent: defineRoute({
    ...developerAccess,
    id: 'change-agent',
    method: 'PATCH',
    path: `${path}/{id}`,
    summary: 'Change an agent',
    note: 'Each change increases its version.',
    pathInput: AgentPath,
    bodyInput: AgentChange,
    output: Agent,
    refusals: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    uses: changing,
  }),
  deleteAgent: defineRoute({
    ...developerAccess,
    id: 'delete-agent',
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Delete an agent',
    note: 'Its documents and conversations are deleted too.',
    pathInput: AgentPath,
    refusals: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    uses: deleting,
  }),
} as const satisfies Record<string, Route>;
