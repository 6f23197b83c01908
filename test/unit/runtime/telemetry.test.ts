import { expect, test, vi } from 'vitest';
import { metrics, metricsService } from '#contract/platform/metrics.ts';
import { recordLostSettlement } from '#runtime/telemetry.ts';
import { withEnvironment } from '#test/service/environment.ts';

test('a lost settlement is counted in a metric of the whole service', () => {
  const restore = withEnvironment({
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_METRICS_NAMESPACE: 'text-ai-test',
    POWERTOOLS_SERVICE_NAME: metricsService,
  });
  const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    recordLostSettlement();
    const written = lines.mock.calls.map(([line]) => JSON.parse(String(line)));
    const declared = {
      Namespace: 'text-ai-test',
      Dimensions: [['service']],
      Metrics: [{ Name: metrics.lostSettlements, Unit: 'Count' }],
    };
    expect(written).toMatchObject([
      { service: metricsService, [metrics.lostSettlements]: 1, _aws: { CloudWatchMetrics: [declared] } },
    ]);
  } finally {
    lines.mockRestore();
    restore();
  }
});
