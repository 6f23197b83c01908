import { memo, useMemo, useRef } from 'react';
import { ErrorBoundary } from '../../../components/feedback/error-boundary.tsx';
import plain from '../parts/plain-text.module.css';
import { BlockView } from './block-view.tsx';
import css from './markdown.module.css';
import { type Definitions, parseBlock, type SplitText, splitBlocks, withoutUnsettledEnd } from './parse.ts';

interface MarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
}

/** A text as Markdown. Blocks that have not changed since the last rendering stay as they are. */
export default function Markdown({ text, isStreaming }: MarkdownProps) {
  const { parts, definitions } = useSplit(text, isStreaming);
  const kept = useKept(definitions);
  // A text only grows, so a block's place names it.
  const placed = parts.map(({ raw, isShown }, place) => ({ raw, isShown, place }));
  return (
    <div className={[css.markdown, isStreaming && plain.unfinished].filter(Boolean).join(' ')} dir="auto">
      {placed.map(({ raw, isShown, place }) => isShown && <Source key={place} source={raw} definitions={kept} />)}
    </div>
  );
}

/** While a text streams, its end alone is cut again; as a whole once it is complete. */
function useSplit(text: string, isStreaming: boolean): SplitText {
  const last = useRef<SplitText>(undefined);
  return useMemo(() => {
    last.current = isStreaming ? splitBlocks(withoutUnsettledEnd(text), last.current) : splitBlocks(text);
    return last.current;
  }, [text, isStreaming]);
}

interface SourceProps {
  readonly source: string;
  readonly definitions: Definitions;
}

const Source = memo(function Source({ source, definitions }: SourceProps) {
  const plain = <p>{source}</p>;
  return (
    <ErrorBoundary fallback={() => plain}>
      <Blocks source={source} definitions={definitions} />
    </ErrorBoundary>
  );
});

function Blocks({ source, definitions }: SourceProps) {
  // A text may have the same block twice, so its place names it.
  const blocks = parseBlock(source, definitions).map((block, place) => ({ block, place }));
  return blocks.map(({ block, place }) => <BlockView key={place} block={block} />);
}

/** The same object as long as it has the same content. */
function useKept(definitions: Definitions): Definitions {
  const kept = useRef(definitions);
  if (JSON.stringify(kept.current) !== JSON.stringify(definitions)) kept.current = definitions;
  return kept.current;
}
