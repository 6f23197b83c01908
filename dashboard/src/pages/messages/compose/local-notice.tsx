import { Anchor } from '@mantine/core';
import { Notice } from '../../../components/feedback/notice.tsx';
import css from '../messages.module.css';
import { nextTestNumber, testDigits } from './test-numbers.ts';

interface LocalNoticeProps {
  /** The recipient that is typed. */
  readonly to: string;
  /** Takes a number to try. */
  readonly onTake: (to: string) => void;
}

/** On one machine messages are not sent: they are read and heard on its phone. */
export function LocalNotice({ to, onTake }: LocalNoticeProps) {
  return (
    <Notice
      tone="info"
      actions={
        <>
          <a href="/_local/phone">Open local phone</a>
          <Anchor component="button" type="button" onClick={() => onTake(nextTestNumber(to))}>
            Use a test number
          </Anchor>
        </>
      }
    >
      Local mode does not send messages. They appear on the local phone. The last two digits of the number set the
      delivery result, whether or not a call is picked up there.
      <details className={css.numbers}>
        <summary>Test numbers</summary>
        <dl>
          {testDigits.map(([digits, end]) => (
            <div key={digits}>
              <dt className="number">{digits}</dt>
              <dd>{end}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Notice>
  );
}
