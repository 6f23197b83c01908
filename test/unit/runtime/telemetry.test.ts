import { expect, test, vi } from 'vitest';
import { metrics, metricsService } from '#contract/platform/metrics.ts';
import { recordLostSettlement, recordModelResponse } from '#runtime/telemetry.ts';
import { withEnvironment } from '#test/service/environment.ts';

/** The metric lines that work writes. */
function linesOf(work: () => void): unknown[] {
  const restore = withEnvironment({
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_METRICS_NAMESPACE: 'text-ai-test',
    POWERTOOLS_SERVICE_NAME: metricsService,
  });
  const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    work();
    return lines.mock.calls.map(([line]) => JSON.parse(String(line)));
  } finally {
    lines.mockRestore();
    restore();
  }
}

const declared = (metric: string, ...dimensions: string[]) => ({
  CloudWatchMetrics: [
    {
      Namespace: 'text-ai-test',
      Dimensions: [['service', ...dimensions]],
      Metrics: [{ Name: metric, Unit: 'Count' }],
    },
  ],
});

test('a lost settlement is counted in a metric of the whole service', () => {
  expect(linesOf(recordLostSettlement)).toMatchObject([
    { service: metricsService, [metrics.lostSettlements]: 1, _aws: declared(metrics.lostSettlements) },
  ]);
});

test('a response of a model is counted by endpoint, and those of fallbacks also in a metric of the whole service', () => {
  const byEndpoint = (endpoint: string) => ({
    endpoint,
    [metrics.modelResponses]: 1,
    _aws: declared(metrics.modelResponses, 'endpoint'),
  });
  expect(linesOf(() => recordModelResponse('acme-large', 1))).toMatchObject([byEndpoint('acme-large 1')]);
  expect(linesOf(() => recordModelResponse('acme-large', 2))).toMatchObject([
    byEndpoint('acme-large 2'),
    { [metrics.fallbackResponses]: 1, _aws: declared(metrics.fallbackResponses) },
  ]);
});
