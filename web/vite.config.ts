import { defineConfig } from 'vitest/config';

// The page needs nothing but its own files and its server: the browser holds it to that. Not while developing,
// when Vite puts a script of its own into the page.
const kPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'";
const policy = {
  name: 'policy',
  apply: 'build' as const,
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: kPolicy }, injectTo: 'head-prepend' as const },
  ],
};

export default defineConfig({
  plugins: [policy],
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
  // One file after the other: each has a browser, and some a simulator. The times only end what hangs.
  test: { testTimeout: 300000, hookTimeout: 300000, fileParallelism: false },
});
