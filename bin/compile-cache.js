import { enableCompileCache } from 'node:module';

// Preloaded as JavaScript: with the cache on, Node.js need not load its TypeScript compiler, which takes 80 ms and
// 14 MB.
enableCompileCache();
