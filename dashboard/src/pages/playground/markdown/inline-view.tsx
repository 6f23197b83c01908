import type { Inline } from './document.ts';

/** Inline content, as elements that load nothing. */
export function InlineView({ content }: { content: readonly Inline[] }) {
  // The same text may be there twice, so its place names it.
  const placed = content.map((inline, place) => ({ inline, place }));
  return placed.map(({ inline, place }) => <One key={place} inline={inline} />);
}

const styles = { strong: 'strong', emphasis: 'em', deleted: 'del' } as const;

function One({ inline }: { inline: Inline }) {
  if (inline.kind === 'text') return inline.text;
  if (inline.kind === 'code') return <code>{inline.text}</code>;
  if (inline.kind === 'break') return <br />;
  const content = <InlineView content={inline.content} />;
  if (inline.kind === 'link')
    return (
      <a href={inline.href} title={inline.href} target="_blank" rel="noopener noreferrer nofollow">
        {content}
      </a>
    );
  const Style = styles[inline.kind];
  return <Style>{content}</Style>;
}
