/**
 * The local service turns metrics off. This turns them on in the environment of a process whose output a test reads.
 */
const metricsOn = `data:text/javascript,${encodeURIComponent(
  "process.env = Object.defineProperty({ ...process.env }, 'POWERTOOLS_METRICS_DISABLED', { get: () => 'false', set() {} })",
)}`;

export const withMetrics = {
  NODE_OPTIONS: `--import=${metricsOn}`,
  POWERTOOLS_METRICS_NAMESPACE: 'test',
  POWERTOOLS_SERVICE_NAME: 'test',
} as const;
