import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../compile.mjs';

/** `node build.mjs [folder]`: compiles the package to ES modules, CommonJS and the command. */
const dist = process.argv[2] ?? join(import.meta.dirname, 'dist');
rmSync(dist, { recursive: true, force: true });
compile(join(import.meta.dirname, 'tsconfig.build.json'), dist);
compile(join(import.meta.dirname, 'tsconfig.cjs.json'), join(dist, 'cjs'));
writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
chmodSync(join(dist, 'command', 'sixdigit.js'), 0o755);
