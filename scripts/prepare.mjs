import { install, isInstalled } from './install.mjs';
import { failPlainly } from './run.mjs';
import { inTurn } from './turn.mjs';
import { buildWeb, isWebBuilt } from './web-build.mjs';

/** Prepares the checkout for a command, performing only the missing steps. */
export const prepare = (wanted = {}) => prepareMissing(wanted).catch(failPlainly);

async function prepareMissing({ development = false, web = false }) {
  const isReady = () => isInstalled({ development }) && (!web || isWebBuilt());
  if (isReady()) return;
  await inTurn(async () => {
    if (!isInstalled({ development })) await install({ development });
    if (web && !isWebBuilt()) await buildWeb();
  });
}
