import { LazyMarkdown } from '../../markdown/lazy-markdown.tsx';
import css from './messages.module.css';

interface ResponseTextProps {
  readonly text: string;
  readonly isPlain: boolean;
  readonly isStreaming: boolean;
}

/** A generated text, as Markdown or as it came. */
export function ResponseText({ text, isPlain, isStreaming }: ResponseTextProps) {
  const plain = (
    <div className={css.text} dir="auto">
      {text}
      {isStreaming && <span className={css.caret} />}
    </div>
  );
  return isPlain ? plain : <LazyMarkdown text={text} isStreaming={isStreaming} fallback={plain} />;
}
