import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../compile.mjs';

/** `node build.mjs [folder]`: compiles the package. It needs the compiled package `sixdigit`. */
const dist = process.argv[2] ?? join(import.meta.dirname, 'dist');
rmSync(dist, { recursive: true, force: true });
compile(join(import.meta.dirname, 'tsconfig.build.json'), dist);
