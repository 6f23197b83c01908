export const shared = { credential: 'session or key', confirmed: true } as const;

/** Accounts hold sessions and throttles; the key is in its meter. */
export const reading = { tables: { accounts: 'write', meters: 'read', agents: 'read' } } as const;
export const changing = { tables: { accounts: 'write', meters: 'read', agents: 'write' } } as const;
export const deleting = { tables: { ...changing.tables, agents: 'delete' } } as const;
export const once = { tables: { ...changing.tables, idempotency: 'delete' } } as const;
export const priced = {
  tables: { accounts: 'write', meters: 'write', agents: 'write', idempotency: 'delete' },
  inference: true,
} as const;

export const path = '/api/agents';
export const created = { status: 201, message: 'SUCCESS' };
