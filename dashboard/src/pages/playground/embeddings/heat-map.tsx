import { Text } from '@mantine/core';
import css from './embeddings.module.css';

interface HeatMapProps {
  readonly texts: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}

/** The similarity of each text with each other: a number and a shade. It may be wider than a phone, so it scrolls. */
export function HeatMap({ texts, matrix }: HeatMapProps) {
  // A text may be there twice, so its place names it.
  const named = texts.map((text, place) => ({ text, place }));
  return (
    <section aria-label="Similarity">
      <Text size="sm" fw={500} mb="xs">
        Cosine similarity, from 0 (unrelated) to 1 (identical)
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={css.scroll} tabIndex={0} role="region" aria-label="Similarity matrix">
        <table className={css.heat}>
          <thead>
            <tr>
              <td />
              {named.map(({ text, place }) => (
                <th key={place} scope="col" title={text}>
                  {place + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {named.map(({ text, place: row }) => (
              <tr key={row}>
                <th scope="row" title={text} dir="auto">
                  {row + 1} · {text}
                </th>
                {named.map(({ place: column }) => {
                  const value = matrix[row]?.[column] ?? 0;
                  return (
                    <td key={column} style={shade(value)}>
                      {value.toFixed(2)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The deepest shade on which the page's text keeps a contrast of 4.5 in both themes, in percent. */
const maxShade = 55;

function shade(value: number): { background: string } {
  const depth = Math.round(Math.max(0, Math.min(1, value)) * maxShade);
  return { background: `color-mix(in srgb, #1f7551 ${depth}%, var(--surface-sunken))` };
}
