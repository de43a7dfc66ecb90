#!/usr/bin/env node
import { run } from './command.ts';

// The exit code tells what happened at the service: a code is sent and paid for, even if the output went into a closed pipe or
// onto a full disk.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    process.stderr.write(`The output could not be written: ${error.code ?? error.message}\n`);
});
process.stderr.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), process.env);
