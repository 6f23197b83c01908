import { Anchor, NativeSelect, PasswordInput } from '@mantine/core';
import { createContext, useState } from 'react';
import { Link } from 'wouter';
import { useTabKey } from '../../api/account/use-tab-key.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { isPlaygroundKey } from '../../api/keys/playground-keys.ts';
import { useKeys, useMember } from '../../api/reads.ts';
import css from './guides.module.css';

/** Which key the examples have: the reader's own only where they choose one. */
export function KeyChoice({ choice }: { choice: ExampleKeyChoice }) {
  const { member, keys, chosen, apiKey } = choice;
  return (
    <section className={css.key} aria-label="API key in the examples">
      <p>
        {apiKey === undefined ? (
          <>
            The examples read a key from the variable <code>API_KEY</code>.
          </>
        ) : (
          <>The examples have your key. This tab keeps it until it is closed or you sign out.</>
        )}
      </p>
      {/* What comes later has its place already. */}
      <div className={css.choice}>
        {member === null && (
          <p>
            <Link href={`/login?return=${encodeURIComponent(window.location.pathname)}`}>Sign in</Link> or{' '}
            <Link href="/register">create an account</Link> to get one.
          </p>
        )}
        {member && keys?.length === 0 && <Link href="/keys?new">Create an API key</Link>}
        {member && keys && keys.length > 0 && (
          <NativeSelect
            aria-label="Key in the examples"
            value={chosen?.id ?? ''}
            data={[
              { value: '', label: 'Use $API_KEY' },
              ...keys.map(({ id, name, prefix, lastFour }) => ({
                value: id,
                label: `${name} (${prefix}…${lastFour})`,
              })),
            ]}
            onChange={(event) => choice.choose(event.currentTarget.value)}
          />
        )}
      </div>
      {chosen && apiKey === undefined && <KeyText key={chosen.id} apiKey={chosen} onEnter={choice.enter} />}
    </section>
  );
}

interface KeyTextProps {
  readonly apiKey: KeyRecord;
  readonly onEnter: (text: string) => boolean;
}

/** Keys are kept as hashes, so the reader has the text, or nobody. */
function KeyText({ apiKey: { name, prefix, lastFour }, onEnter }: KeyTextProps) {
  const [isOther, setOther] = useState(false);
  return (
    <PasswordInput
      label={`The key “${name}”`}
      description={
        <>
          Keys are shown only once, when they are created. The key stays in this tab and is not sent anywhere. Lost it?{' '}
          <Anchor component={Link} href="/keys" inherit underline="always">
            Rotate it
          </Anchor>
          .
        </>
      }
      placeholder={`${prefix}…${lastFour}`}
      autoComplete="off"
      maxLength={200}
      error={isOther && `This is a different key. “${name}” starts with ${prefix} and ends with ${lastFour}.`}
      onChange={(event) => {
        const text = event.currentTarget.value.trim();
        setOther(!onEnter(text) && text !== '');
      }}
    />
  );
}

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
type ExampleKeyChoice = ReturnType<typeof useExampleKey>;

/** The key that the reader chose for the examples; undefined: they read the variable API_KEY. */
export const ExampleKey = createContext<string | undefined>(undefined);
