import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { Span } from './span.ts';

/** What gives a span of a well-formed text in the unit that the caller counts in. Spans begin and end between characters. */
export function spanIn(text: string, unit: AnalysisRequest['offsetUnit']): (span: Span) => Span {
  const points = unit === 'utf16' ? undefined : pointsBefore(text);
  if (!points) return ({ start, end }) => ({ start, end });
  return ({ start, end }) => ({ start: points[start] ?? 0, end: points[end] ?? 0 });
}

/** How many code points stand before each UTF-16 unit, and before the end; undefined where each is one unit. */
function pointsBefore(text: string): Uint16Array | undefined {
  if (!/[\ud800-\udfff]/.test(text)) return undefined;
  const points = new Uint16Array(text.length + 1);
  let [unit, point] = [0, 0];
  for (const character of text) {
    points.fill(point, unit, unit + character.length);
    unit += character.length;
    point += 1;
  }
  points[unit] = point;
  return points;
}
