import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, NativeSelect, PasswordInput } from '@mantine/core';
import { createContext, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { isPlaygroundKey, type KeyRecord } from '../../api/keys.ts';
import { useKeys, useMember } from '../../api/reads.ts';
import { useTabKey } from '../../components/docs.tsx';
import css from './guides.module.css';

/** Lets the reader put one of their own keys into the examples. */
export function KeyChoice({ choice }: { choice: ExampleKeyChoice }) {
  const { member, keys, chosen, apiKey } = choice;
  return (
    <section className={css.key} aria-label={t`API key in the examples`}>
      <p>
        {apiKey === undefined ? (
          <Trans>
            The examples read a key from the variable <code>API_KEY</code>.
          </Trans>
        ) : (
          <Trans>The examples contain your key. This tab keeps it until you close the tab or sign out.</Trans>
        )}
      </p>
      {/* Reserves space for content that loads later. */}
      <div className={css.choice}>
        {member === null && (
          <p>
            <Trans>
              <SignInLink>Sign in</SignInLink> or <Link href="/register">create an account</Link> to get one.
            </Trans>
          </p>
        )}
        {member && keys?.length === 0 && (
          <Link href="/keys?new">
            <Trans>Create an API key</Trans>
          </Link>
        )}
        {member && keys && keys.length > 0 && (
          <NativeSelect
            aria-label={t`Key in the examples`}
            value={chosen?.id ?? ''}
            data={[
              { value: '', label: t`Use ${{ variable: '$API_KEY' }}` },
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

const SignInLink = ({ children }: { children?: ReactNode }) => (
  <Link href={`/login?return=${encodeURIComponent(window.location.pathname)}`}>{children}</Link>
);

interface KeyTextProps {
  readonly apiKey: KeyRecord;
  readonly onEnter: (text: string) => boolean;
}

/** The server stores only a hash, so the reader must enter the key. */
function KeyText({ apiKey: { name, prefix, lastFour }, onEnter }: KeyTextProps) {
  const [isOther, setOther] = useState(false);
  return (
    <PasswordInput
      label={t`The key “${name}”`}
      description={
        <Trans>
          Keys are shown only once, when they are created. The key stays in this tab and is not sent anywhere. Lost it?{' '}
          <Anchor component={Link} href="/keys" inherit underline="always">
            Rotate it
          </Anchor>
          .
        </Trans>
      }
      placeholder={`${prefix}…${lastFour}`}
      autoComplete="off"
      maxLength={200}
      error={isOther && t`This is a different key. “${name}” starts with ${prefix} and ends with ${lastFour}.`}
      onChange={(event) => {
        const text = event.currentTarget.value.trim();
        setOther(!onEnter(text) && text !== '');
      }}
    />
  );
}

/** Whether a text can be this key. Only the first and last characters of a key are known. */
const isText = (text: string, { prefix, lastFour }: KeyRecord): boolean =>
  /^\w{20,200}$/.test(text) && text.startsWith(prefix) && text.endsWith(lastFour);

/** State of the key in the examples. No key is chosen by default. */
export function useExampleKey() {
  const { data: member } = useMember();
  const { data: keys } = useKeys({ enabled: Boolean(member) });
  const [text, setText] = useTabKey(member?.id, 'example');
  const [entered] = useTabKey(member?.id, 'entered');
  const [wanted, setWanted] = useState<string>();
  const active = keys?.filter((one) => one.status === 'active' && !isPlaygroundKey(one));
  const filled = active?.find((one) => isText(text, one));

  /** Chooses a key by id, or the variable API_KEY with an empty id. Reuses the key entered in the API reference. */
  function choose(id: string): void {
    const key = active?.find((one) => one.id === id);
    setWanted(id);
    setText(key && isText(entered, key) ? entered : '');
  }

  const chosen = wanted === undefined ? filled : active?.find(({ id }) => id === wanted);
  return {
    member,
    /** Active keys to choose from. */
    keys: active,
    chosen,
    /** Enters the text of the chosen key. Returns false if it is another key. */
    enter: (entry: string): boolean => {
      const isKey = chosen !== undefined && isText(entry, chosen);
      if (isKey) setText(entry);
      return isKey;
    },
    choose,
    /** Key to put into the examples, or undefined for the variable API_KEY. */
    apiKey: filled && filled === chosen ? text : undefined,
  };
}
type ExampleKeyChoice = ReturnType<typeof useExampleKey>;

/** Key in the examples, or undefined for the variable API_KEY. */
export const ExampleKey = createContext<string | undefined>(undefined);
