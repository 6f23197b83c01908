import { Alerts } from '../alerts/alerts.ts';
import { defineRoute, type Route } from '../http/route.ts';

export const alertRoutes = {
  getAlerts: defineRoute({
    id: 'get-alerts',
    method: 'GET',
    path: '/api/alerts',
    summary: 'List the alerts',
    note: 'The rules by which the account is alerted.',
    credential: 'session or key',
    output: Alerts,
    uses: { tables: { accounts: 'write', meters: 'read' } },
  }),
  setAlerts: defineRoute({
    id: 'set-alerts',
    method: 'PUT',
    path: '/api/alerts',
    summary: 'Replace the alerts',
    note: 'The rules by which the account is alerted.',
    credential: 'session or key',
    confirmed: true,
    bodyInput: Alerts,
    output: Alerts,
    uses: { tables: { accounts: 'write', meters: 'write' } },
  }),
} as const satisfies Record<string, Route>;
