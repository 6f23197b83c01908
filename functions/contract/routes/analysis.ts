import { Analysis, AnalysisRequest } from '../analysis/analysis.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { developerAccess } from './common-settings.ts';

export const analysisRoutes = {
  analyze: defineRoute({
    id: 'analyze',
    method: 'POST',
    path: '/api/ai/analyze',
    summary: 'Analyze text',
    ...developerAccess,
    bodyInput: AnalysisRequest,
    output: Analysis,
    priced: { service: 'text_analysis', capability: 'chat' },
    idempotent: true,
    uses: {
      tables: { accounts: 'write', meters: 'write', idempotency: 'delete' },
      inference: true,
      encoders: true,
    },
    timeoutSeconds: 28,
  }),
} as const satisfies Record<string, Route>;
