import { ActionIcon, Group, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { offer } from '#contract/offer/current-offer.ts';
import css from './brand.module.css';
import { Icon, Tip } from './icon.tsx';

export function Wordmark() {
  return (
    <Group gap={10} wrap="nowrap">
      <Logo />
      <Text component="span" fw={680} fz="lg" lts="-0.02em">
        {name}
      </Text>
    </Group>
  );
}

const { name, logo, accent } = offer.product;

/** The product's logo, or lines of text that become shorter and a coin: words and credits. */
function Logo({ size = 28 }: { size?: number }) {
  if (logo !== null) return <img className={css.logo} src={logo} alt="" height={size} />;
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill={accent ?? '#1f7551'} />
      <path d="M8 10h16M8 16h10M8 22h5" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <circle cx="22.5" cy="21" r="3.5" fill="#f0b429" />
    </svg>
  );
}

export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const label = `Switch to ${other} theme`;
  return (
    <Tip label={label}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={() => setColorScheme(other)}>
        <Icon name={other === 'dark' ? 'moon' : 'sun'} />
      </ActionIcon>
    </Tip>
  );
}
