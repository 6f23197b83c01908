import {
  CreditBalance,
  Credits,
  LedgerQuery,
  ServiceList,
  ServicePath,
  ServiceQuota,
  Usage,
  UsageQuery,
} from '../billing/credits.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** Credits, services and usage. */
export const creditRoutes = {
  getCredits: defineRoute({
    id: 'get-credits',
    method: 'GET',
    path: '/api/credits',
    summary: 'Balance, grants with their expiry, and the ledger',
    credential: 'session or key',
    queryInput: LedgerQuery,
    output: Credits,
    uses: { tables: { accounts: 'write', meters: 'write', ledger: 'read' } },
  }),
  listServices: defineRoute({
    id: 'list-services',
    method: 'GET',
    path: '/api/services',
    summary: 'The services and what they cost',
    credential: 'session or key',
    output: ServiceList,
    uses: { tables: { accounts: 'write', meters: 'read' } },
  }),
  getServiceQuota: defineRoute({
    id: 'get-service-quota',
    method: 'GET',
    path: '/api/services/{name}/quota',
    summary: 'Quota and usage of a service in the current billing month',
    credential: 'session or key',
    pathInput: ServicePath,
    output: ServiceQuota,
    refusals: ['NOT_FOUND'],
    uses: { tables: { accounts: 'write', meters: 'write' } },
  }),
  getUsage: defineRoute({
    id: 'get-usage',
    method: 'GET',
    path: '/api/usage',
    summary: 'Calls and credits by day, service, model and key',
    credential: 'session or key',
    queryInput: UsageQuery,
    output: Usage,
    uses: { tables: { accounts: 'write', meters: 'read', ledger: 'read' } },
  }),
  getCreditBalance: defineRoute({
    id: 'get-credit-balance',
    method: 'GET',
    path: '/api/credits/me',
    summary: 'The credit balance of the current billing month',
    credential: 'session or key',
    output: CreditBalance,
    uses: { tables: { accounts: 'write', meters: 'write' } },
  }),
} as const satisfies Record<string, Route>;
