#!/usr/bin/env node
import { type ChildProcess, spawn } from 'node:child_process';

// The service restarts after a change of its code. Vite's server loads changes of the dashboard without a reload.
const service = ['--watch', '--watch-preserve-output', '--max-semi-space-size=16', 'bin/local.ts'];
const dashboard = ['node_modules/vite/bin/vite.js', 'dashboard', '--clearScreen', 'false'];

const start = (args: readonly string[]): ChildProcess => spawn(process.execPath, args, { stdio: 'inherit' });

const children = [start([...service, ...process.argv.slice(2)]), start(dashboard)];

function stop(): void {
  for (const child of children) child.kill();
}

// Ctrl-C reaches the whole process group; a signal to this process alone is passed on.
process.on('SIGINT', stop).on('SIGTERM', stop);
for (const child of children) child.once('exit', stop);
