import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * For the container image: leaves in package.json only the packages that the server imports. The dashboard is built by then, Node.js
 * comes with the image, and so does no PostgreSQL.
 */
const root = process.argv[2] ?? '.';
const sources = ['server/src', 'contract/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
);
const imported = new Set(
  sources.flatMap((text) =>
    [...text.matchAll(/^(?:import|export)\b(?! type)[^;]*?'([^'#.][^']*)'/gms)]
      .map(([, name]) => name)
      .filter((name) => !name.startsWith('node:'))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
  ),
);
const file = join(root, 'package.json');
const manifest = JSON.parse(readFileSync(file, 'utf8'));
const kept = Object.entries(manifest.dependencies).filter(([name]) => imported.has(name));
const { devDependencies, ...rest } = manifest;
writeFileSync(file, `${JSON.stringify({ ...rest, dependencies: Object.fromEntries(kept) }, null, 2)}\n`);
console.log(`The server needs ${kept.map(([name]) => name).join(', ')}.`);
