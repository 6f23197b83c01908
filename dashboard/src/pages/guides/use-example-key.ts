import { useState } from 'react';
import { useTabKey } from '../../api/account/use-tab-key.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { isPlaygroundKey } from '../../api/keys/playground-keys.ts';
import { useKeys, useMember } from '../../api/reads.ts';

/** Whether a text is this key. Keys are kept as hashes: what is known of one is how it begins and ends. */
const isText = (text: string, { prefix, lastFour }: KeyRecord): boolean =>
  /^\w{20,200}$/.test(text) && text.startsWith(prefix) && text.endsWith(lastFour);

/** Which of the reader's keys the examples have. Nothing is chosen for them, and nothing without a session. */
export function useExampleKey() {
  const { data: member } = useMember();
  const { data: keys } = useKeys({ enabled: Boolean(member) });
  const [text, setText] = useTabKey(member?.id, 'example');
  const [entered] = useTabKey(member?.id, 'entered');
  const [wanted, setWanted] = useState<string>();
  const active = keys?.filter((one) => one.status === 'active' && !isPlaygroundKey(one));
  const filled = active?.find((one) => isText(text, one));

  /** By its id; the variable where that is empty. Its text is known where it was entered to try an operation. */
  function choose(id: string): void {
    const key = active?.find((one) => one.id === id);
    setWanted(id);
    setText(key && isText(entered, key) ? entered : '');
  }

  const chosen = wanted === undefined ? filled : active?.find(({ id }) => id === wanted);
  return {
    member,
    /** Those to choose from. */
    keys: active,
    chosen,
    /** Takes the text of the chosen key; false where it is another. */
    enter: (entry: string): boolean => {
      const isKey = chosen !== undefined && isText(entry, chosen);
      if (isKey) setText(entry);
      return isKey;
    },
    choose,
    /** What the examples are filled with. */
    apiKey: filled && filled === chosen ? text : undefined,
  };
}
export type ExampleKeyChoice = ReturnType<typeof useExampleKey>;
