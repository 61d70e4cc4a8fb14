import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    // Few files with fixed names: they are embedded in the program.
    chunkSizeWarningLimit: 1024,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: 'stance.js',
        assetFileNames: 'stance[extname]',
        inlineDynamicImports: true,
      },
    },
  },
  // `npm run mock` beside `npm run dev`, or `stance view --port 8098`.
  server: {
    proxy: {
      '/ws': { target: 'ws://127.0.0.1:8098', ws: true },
      '/mesh': 'http://127.0.0.1:8098',
      '/recording.h5': 'http://127.0.0.1:8098',
    },
  },
  test: { testTimeout: 60000, hookTimeout: 120000 },
});
