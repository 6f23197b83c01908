const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

window.SwaggerUIBundle({
  dom_id: '#reference',
  url: '/docs/openapi.json',
  deepLinking: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // A key must not stay in a browser's storage because somebody tried an operation.
  persistAuthorization: false,
  // Else the document is sent to a validator elsewhere.
  validatorUrl: null,
});
