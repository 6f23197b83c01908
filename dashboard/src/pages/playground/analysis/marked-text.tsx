import { Text } from '@mantine/core';
import type { Analysis } from '#contract/analysis/analysis.ts';
import css from './analysis.module.css';
import { type Piece, piecesOf } from './marks.ts';
import { withScore } from './score.ts';

interface MarkedTextProps {
  readonly text: string;
  readonly analysis: Pick<Analysis, 'entities' | 'pii'>;
}

/** The text that was analysed: its entities marked, its personal data struck through, each with its type. */
export function MarkedText({ text, analysis }: MarkedTextProps) {
  return (
    <section aria-label="Marked text" className={css.marked}>
      <Text size="sm" fw={500} mb={4}>
        Marked text
      </Text>
      <div className={css.text} dir="auto">
        {piecesOf(text, analysis).map((piece) => (
          <PieceView key={piece.start} piece={piece} />
        ))}
      </div>
    </section>
  );
}

function PieceView({ piece }: { readonly piece: Piece }) {
  const { text, entity, personalData, endsEntity, endsPersonalData } = piece;
  const words = personalData ? (
    <del className={css.personal}>
      {text}
      {endsPersonalData && <span className={css.name}>{personalData.type}</span>}
    </del>
  ) : (
    text
  );
  if (!entity) return words;
  const isNamed = endsPersonalData && personalData?.type === entity.type;
  return (
    <mark className={css.entity}>
      {words}
      {endsEntity && !isNamed && <span className={css.name}>{withScore(entity.type, entity.score)}</span>}
    </mark>
  );
}
