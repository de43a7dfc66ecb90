import { expect, test } from 'vitest';
import { pythonShapes, typeScriptShapes } from './shapes.ts';

// `npm run shapes` writes both files.
test('the TypeScript client has the shapes of the contract', async () => {
  await expect(typeScriptShapes()).toMatchFileSnapshot('../typescript/src/shapes.ts');
});

test('the Python client has the shapes of the contract', async () => {
  await expect(pythonShapes()).toMatchFileSnapshot('../python/src/sixdigit/shapes.py');
});
