import { install, isInstalled } from './install.mjs';
import { inTurn } from './turn.mjs';
import { buildWeb, isWebBuilt } from './web-build.mjs';

/** Brings the checkout to where a command can run, doing only what is missing. */
export async function prepare({ development = false, web = false } = {}) {
  const isReady = () => isInstalled({ development }) && (!web || isWebBuilt());
  if (isReady()) return;
  await inTurn(async () => {
    if (!isInstalled({ development })) await install({ development });
    if (web && !isWebBuilt()) await buildWeb();
  });
}
