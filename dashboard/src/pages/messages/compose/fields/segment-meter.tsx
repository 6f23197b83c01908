import { limits } from '#contract/shared/limits.ts';
import css from '../../messages.module.css';

/** The segments that an SMS may have, and how far they are filled. */
export function SegmentMeter({ fills }: { fills: readonly number[] }) {
  const isTooLong = fills.length > limits.messageSegments;
  return (
    <span className={css.meter} data-full={isTooLong} aria-hidden="true">
      {Array.from({ length: limits.messageSegments }, (_, index) => (
        <span key={index}>
          <span style={{ inlineSize: `${100 * (isTooLong ? 1 : (fills[index] ?? 0))}%` }} />
        </span>
      ))}
    </span>
  );
}
