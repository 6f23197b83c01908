import { Text } from '@mantine/core';
import { formatWhole } from '../../lib/format.ts';
import css from './overview.module.css';

interface GaugeProps {
  readonly left: number;
  readonly granted: number;
}

const radius = 84;
const length = Math.PI * radius;
const arc = `M 16 100 A ${radius} ${radius} 0 0 1 184 100`;

/** How much is left of what was granted, as a half circle. */
export function Gauge({ left, granted }: GaugeProps) {
  const share = Math.max(0, Math.min(1, left / Math.max(granted, 1)));
  const color = share < 0.1 ? 'var(--amber)' : 'var(--accent)';
  return (
    <div className={css.gauge}>
      <svg viewBox="0 0 200 112" aria-hidden="true" focusable="false">
        <path d={arc} fill="none" stroke="var(--line)" strokeWidth="15" strokeLinecap="round" />
        {share > 0 && (
          <path
            d={arc}
            fill="none"
            stroke={color}
            strokeWidth="15"
            strokeLinecap="round"
            strokeDasharray={`${share * length} ${length * 2}`}
          />
        )}
      </svg>
      <div className={css.reading}>
        <div className={`${css.balance} number`}>{formatWhole(left)}</div>
        <Text size="sm" c="dimmed">
          {granted > 0
            ? `of ${formatWhole(granted)} granted`
            : formatWhole(left) === '1'
              ? 'credit left'
              : 'credits left'}
        </Text>
      </div>
    </div>
  );
}
