import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const API = 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/app/',
  plugins: [react(), tailwindcss()],
  build: {
    // A test compares the sizes of the chunks with the budget.
    manifest: true,
    chunkSizeWarningLimit: 1000,
    target: 'es2022',
    // Inlined assets would need `data:` in the policy for every kind of resource.
    assetsInlineLimit: 0,
    // One file for what every visit needs: on a slow network, each further request would cost more than its bytes.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } } },
  },
  // `npm run dev -w packages/dashboard`: everything except the application comes from a running API.
  server: { proxy: { '^(?!/app/)': { target: API, changeOrigin: true } } },
});
