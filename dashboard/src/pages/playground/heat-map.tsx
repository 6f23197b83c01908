import { Text } from '@mantine/core';
import css from './playground.module.css';

interface HeatMapProps {
  readonly texts: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}

/** The similarity of each text with each other: a number and a shade. It may be wider than a phone, so it scrolls. */
export function HeatMap({ texts, matrix }: HeatMapProps) {
  return (
    <section aria-label="Similarity">
      <Text size="sm" fw={500} mb="xs">
        Similarity, from 0 (nothing in common) to 1 (the same)
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={css.scroll} tabIndex={0} role="region" aria-label="Similarity matrix">
        <table className={css.heat}>
          <thead>
            <tr>
              <td />
              {texts.map((text, index) => (
                <th key={text} scope="col" title={text}>
                  {index + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.map((row, index) => (
              <tr key={texts[index]}>
                <th scope="row" title={texts[index]}>
                  {index + 1} · {texts[index]}
                </th>
                {row.map((value, column) => (
                  <td key={texts[column]} style={shade(value)}>
                    {value.toFixed(2)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Light to deep; the text turns where the ground gets deep. */
function shade(value: number): { background: string; color: string } {
  const depth = Math.max(0, Math.min(1, value));
  return {
    background: `color-mix(in oklab, #1f7551 ${Math.round(depth * 100)}%, var(--surface-sunken))`,
    color: depth > 0.55 ? '#ffffff' : 'var(--mantine-color-text)',
  };
}
