import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const tsc = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');

/** Compiles a client package for publication. */
export function compile(project, outDir) {
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', outDir], { stdio: 'inherit' });
  // The compiler rewrites the imports of the modules, but not those of the declarations.
  for (const file of readdirSync(outDir, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(outDir, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"));
  }
}
