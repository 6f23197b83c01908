import type { Analysis } from '#contract/analysis/analysis.ts';

type Entity = NonNullable<Analysis['entities']>[number];
type PersonalData = NonNullable<Analysis['pii']>[number];

/** A piece of a text without a border of a mark in it; `ends…`: what is named behind it, as its mark ends here. */
export interface Piece {
  readonly start: number;
  readonly text: string;
  readonly entity?: Entity | undefined;
  readonly personalData?: PersonalData | undefined;
  readonly endsEntity: boolean;
  readonly endsPersonalData: boolean;
}

/** A text by the entities and personal data in it, whose places count in UTF-16 units. Of entities that overlap, the longest is shown. */
export function piecesOf(text: string, { entities = [], pii = [] }: Pick<Analysis, 'entities' | 'pii'>): Piece[] {
  const shown = withoutOverlaps(entities);
  const borders = [0, text.length, ...[...shown, ...pii].flatMap(({ start, end }) => [start, end])];
  const places = [...new Set(borders)].toSorted((one, other) => one - other);
  return places.slice(0, -1).map((start, index) => {
    const end = places[index + 1] ?? text.length;
    const entity = covering(shown, start);
    const personalData = covering(pii, start);
    return {
      start,
      text: text.slice(start, end),
      entity,
      personalData,
      endsEntity: entity?.end === end,
      endsPersonalData: personalData?.end === end,
    };
  });
}

function withoutOverlaps(entities: readonly Entity[]): Entity[] {
  const shown: Entity[] = [];
  const byLength = entities.toSorted((one, other) => other.end - other.start - (one.end - one.start));
  for (const entity of byLength) {
    if (shown.every(({ start, end }) => entity.end <= start || entity.start >= end)) shown.push(entity);
  }
  return shown;
}

const covering = <Mark extends { readonly start: number; readonly end: number }>(marks: readonly Mark[], at: number) =>
  marks.find(({ start, end }) => start <= at && at < end);
