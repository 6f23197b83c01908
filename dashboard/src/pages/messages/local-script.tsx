import { Text } from '@mantine/core';
import { useConfig } from '../../api/config.ts';
import css from './messages.module.css';

/** What the last digits of a number choose on one machine (docs/messages.md#on-one-machine). */
const scenes = [
  ['02', 'undelivered'],
  ['03', 'the recipient has opted out'],
  ['04', 'the carrier’s response is lost'],
  ['05', 'the carrier is down'],
  ['06', 'costs too much'],
  ['08', 'fails after it was sent; its credits come back'],
  ['others', 'delivered'],
] as const;

/** On one machine nothing is sent: the number chooses what happens. */
export function LocalScript() {
  if (!useConfig().local) return null;
  return (
    <div className={css.script}>
      <Text size="sm" c="dimmed">
        On this machine the last two digits of a number choose what happens:
      </Text>
      <dl>
        {scenes.map(([digits, what]) => (
          <div key={digits}>
            <dt className="number">{digits}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
