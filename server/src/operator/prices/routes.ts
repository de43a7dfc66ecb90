import * as contract from '@sixdigit/contract/operator/prices.ts';
import { sendPricesToCsv } from '@sixdigit/contract/operator/prices.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import { changePrices, importSendPricesOf, operatorPrices, type PricesApp, priceChanges } from './prices.ts';

export function priceRoutes(server: Server, app: PricesApp): void {
  serve(server, contract.getOperatorPrices, () => operatorPrices(app.db));
  serve(server, contract.updatePrices, ({ caller, body }) => changePrices(app, caller, body));
  serve(server, contract.listPriceChanges, ({ query }) => priceChanges(app.db, query));
  serve(server, contract.exportSendPrices, async () => ({
    csv: sendPricesToCsv((await operatorPrices(app.db)).prices.sends),
  }));
  serve(server, contract.importSendPrices, ({ caller, body }) => importSendPricesOf(app, caller, body));
}
