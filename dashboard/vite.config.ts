import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npx vite dashboard` passes the API's requests on to while the dashboard is worked on. */
const service = 'http://127.0.0.1:8787';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
  server: { proxy: Object.fromEntries(['/api', '/v1', '/_local', '/config.json'].map((path) => [path, service])) },
});
