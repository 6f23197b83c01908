// Runs before the first paint, so that no page flashes in the other theme or direction. A file, because the CSP blocks
// inline scripts.
try {
  const kept = localStorage.getItem('mantine-color-scheme-value');
  const dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
} catch {
  document.documentElement.setAttribute('data-mantine-color-scheme', 'light');
}

(() => {
  const languages = new Set(['en', 'de', 'es', 'ja', 'ar']);
  const root = document.documentElement;
  let kept = null;
  try {
    kept = localStorage.getItem('language');
  } catch {
    // The browser's languages choose.
  }
  const wanted = [kept, ...navigator.languages].map((one) => String(one).toLowerCase().split(/[-_@]/)[0]);
  root.lang = wanted.find((one) => languages.has(one)) ?? 'en';
  root.dir = root.lang === 'ar' ? 'rtl' : 'ltr';
  // Loads the texts of every page beside its code.
  const link = document.createElement('link');
  Object.assign(link, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous' });
  link.href = `${document.querySelector('meta[name=texts]').content}${root.lang}/main.json`;
  document.head.append(link);
})();
