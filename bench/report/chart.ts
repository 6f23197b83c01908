import type { Measured } from '../rounds.ts';
import type { ArmName } from '../shared/arms.ts';

interface Group {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  readonly values: readonly { readonly arm: ArmName; readonly value: number }[];
}

const arms: readonly ArmName[] = ['bare proxy', 'ours', 'Portkey'];
const barHeight = 18;
const groupHeight = 92;
const labelWidth = 88;
const barWidth = 460;
const width = 660;

/** Bars for the smallest prompt, each figure on a scale of its own. Readable on light and on dark ground. */
export function chart(measured: readonly Measured[]): string {
  const groups = groupsOf(measured);
  const height = groups.length * groupHeight + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Ours beside Portkey and a bare proxy">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
rect { fill: #8c959f; }
.ours { fill: #0969da; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } rect { fill: #6e7681; } .ours { fill: #4493f8; } }
</style>
${groups.map((group, index) => drawn(group, index * groupHeight + 20)).join('\n')}
</svg>
`;
}

function groupsOf(measured: readonly Measured[]): Group[] {
  const figure = (stream: boolean, of: (row: Measured) => number) => (arm: ArmName) => {
    const row = measured.find((one) => one.arm === arm && one.size === '0.25 KB' && one.stream === stream);
    return { arm, value: row ? of(row) : 0 };
  };
  return [
    {
      title: 'Whole response, median',
      unit: 'ms',
      digits: 2,
      values: arms.map(figure(false, ({ totalMs }) => totalMs)),
    },
    {
      title: 'First byte of a stream, median',
      unit: 'ms',
      digits: 2,
      values: arms.map(figure(true, ({ firstByteMs }) => firstByteMs)),
    },
    {
      title: 'Processor time of a call',
      unit: 'ms',
      digits: 3,
      values: arms.map(figure(false, ({ processorMs }) => processorMs)),
    },
    {
      title: 'Calls per second on one core',
      unit: '',
      digits: 0,
      values: arms.map(figure(false, ({ callsPerSecond }) => callsPerSecond)),
    },
  ];
}

function drawn({ title, unit, digits, values }: Group, top: number): string {
  const max = Math.max(...values.map(({ value }) => value), Number.MIN_VALUE);
  const bars = values.map(({ arm, value }, index) => {
    const y = top + 8 + index * (barHeight + 4);
    const long = Math.max(1, Math.round((value / max) * barWidth));
    const kind = arm === 'ours' ? ' class="ours"' : '';
    return `<text x="0" y="${y + 13}">${arm}</text><rect${kind} x="${labelWidth}" y="${y}" width="${long}" height="${barHeight}" rx="2"/><text x="${labelWidth + long + 6}" y="${y + 13}">${value.toFixed(digits)} ${unit}</text>`;
  });
  return [`<text class="title" x="0" y="${top}">${title}</text>`, ...bars].join('\n');
}
