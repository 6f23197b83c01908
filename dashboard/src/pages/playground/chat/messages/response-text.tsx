import { LazyMarkdown } from '../../markdown/lazy-markdown.tsx';
import { PlainText } from '../../parts/plain-text.tsx';

interface ResponseTextProps {
  readonly text: string;
  readonly isPlain: boolean;
  readonly isStreaming: boolean;
}

/** A generated text, as Markdown or as it came. */
export function ResponseText({ text, isPlain, isStreaming }: ResponseTextProps) {
  const plain = <PlainText isStreaming={isStreaming}>{text}</PlainText>;
  return isPlain ? plain : <LazyMarkdown text={text} isStreaming={isStreaming} fallback={plain} />;
}
