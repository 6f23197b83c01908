// Adds a copy button to each example of a public page. The page is complete without it.
for (const figure of document.querySelectorAll('figure:has(pre)')) {
  const button = document.createElement('button');
  const show = (text) => (button.textContent = text);
  button.type = 'button';
  button.setAttribute('aria-label', `Copy ${figure.querySelector('figcaption')?.textContent}`);
  show('Copy');
  button.addEventListener('click', () => {
    const copying = navigator.clipboard.writeText(figure.querySelector('pre')?.textContent ?? '');
    copying.then(
      () => show('Copied'),
      () => show('Not permitted'),
    );
  });
  figure.append(button);
}
