import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The files that the api serves under `/dashboard`; it puts a nonce of its own in place of `__NONCE__` for each request. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // What is inlined as data: would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'es2023',
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    // What most pages share comes in one file instead of twenty: each is a round trip before the first figure.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 6 }] } } },
  },
});
