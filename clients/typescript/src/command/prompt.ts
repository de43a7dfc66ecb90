import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * One line from the terminal, or from a pipe. A secret is not shown while it is typed. The question goes to standard error, so
 * that standard output has only the result.
 */
export async function ask(question: string, { isSecret = false } = {}): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
  // The terminal shows what is typed until the interface has begun.
  if (isTerminal) process.stderr.write(question);
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    if (isTerminal && isSecret) process.stderr.write('\n');
  }
}
