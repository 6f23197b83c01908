import { Anchor } from '@mantine/core';
import { Notice } from '../../../components/feedback/notice.tsx';

const example = '+14155550100';

/** On one machine messages are not sent: they are read and heard on its phone. */
export function LocalNotice({ onTake }: { /** Takes a number to try. */ readonly onTake: (to: string) => void }) {
  return (
    <Notice
      tone="info"
      actions={
        <>
          <a href="/_local/phone">Open local phone</a>
          <Anchor component="button" type="button" onClick={() => onTake(example)}>
            Use {example}
          </Anchor>
        </>
      }
    >
      On this machine nothing is sent: messages appear on the local phone.
    </Notice>
  );
}
