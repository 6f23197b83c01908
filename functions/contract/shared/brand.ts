/** The product's name and colors for mails and the pages of `npm start`; the dashboard's theme has the same values. */
export const brand = {
  name: 'Text AI platform',
  ink: '#1e1d1a',
  dim: '#69645a',
  line: '#e2ded5',
  page: '#faf9f6',
  card: '#ffffff',
  accent: '#1f7551',
  coin: '#f0b429',
} as const;
