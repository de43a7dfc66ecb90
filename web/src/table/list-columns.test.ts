import { expect, test } from 'vitest';
import { apiKeyColumns } from '../api-keys/ApiKeys.tsx';
import { apiKeySearch } from '../api-keys/api-keys.ts';
import { connectionColumns } from '../connections/Connections.tsx';
import { verificationColumns } from '../otp/columns.tsx';
import { verificationSearch } from '../otp/verifications.ts';
import { transactionColumns } from '../payments/columns.tsx';
import { transactionSearch } from '../payments/payments.ts';
import { decisionColumns } from '../protection/decisions/Decisions.tsx';
import { decisionSearch } from '../protection/decisions/decisions.ts';
import { requestLogColumns } from '../request-logs/columns.tsx';
import { periods, requestLogSearch, statusCodeChoices } from '../request-logs/request-logs.ts';
import { suppressionColumns } from '../suppressions/Suppressions.tsx';
import { suppressionSearch } from '../suppressions/suppressions.ts';
import { templateColumns } from '../templates/Templates.tsx';
import { templateSearch } from '../templates/templates.ts';
import { webhookColumns } from '../webhooks/Webhooks.tsx';
import { webhookSearch } from '../webhooks/webhooks.ts';
import { type Columns, idOf } from './columns.ts';

const choose = (): void => undefined;
/** Of each list: the headers of the columns that it shows at first, and the ids of those that it sorts by. */
const lists = {
  verifications: {
    columns: verificationColumns(choose),
    search: verificationSearch,
    headers: ['Created', 'Recipient', 'Method', 'Status', 'Credits', 'History'],
    sorted: ['created_at'],
  },
  logs: {
    columns: requestLogColumns,
    search: requestLogSearch,
    headers: ['Date', 'Action', 'Recipient', 'Status', 'Reason', 'Response Time', 'Credits', 'Details'],
    sorted: ['created_at', 'request_type', 'response_status_code', 'response_time_ms', 'credits_used'],
  },
  'API keys': {
    columns: apiKeyColumns,
    search: apiKeySearch,
    headers: ['Name', 'Access', 'Spent Today', 'Created', 'Last Used', 'Actions'],
    sorted: ['name', 'created_at', 'last_used_at'],
  },
  decisions: {
    columns: decisionColumns,
    search: decisionSearch,
    headers: ['Date', 'Outcome', 'Rule', 'Destination', 'Sends'],
    sorted: ['created_at', 'sends'],
  },
  suppressions: {
    columns: suppressionColumns,
    search: suppressionSearch,
    headers: ['Address', 'Reason', 'Source', 'Since', 'Actions'],
    sorted: ['created_at'],
  },
  templates: {
    columns: templateColumns,
    search: templateSearch,
    headers: ['Name', 'Languages', 'Version', 'Created', 'Actions'],
    sorted: ['name', 'created_at'],
  },
  webhooks: {
    columns: webhookColumns,
    search: webhookSearch,
    headers: ['Name', 'URL', 'Status', 'Events', 'Actions'],
    sorted: ['name', 'url', 'is_active'],
  },
  transactions: {
    columns: transactionColumns,
    search: transactionSearch,
    headers: ['Transaction', 'Credits', 'Amount', 'Status', 'Date', 'Receipt'],
    sorted: ['description', 'amount', 'price_usd_cents', 'payment_status', 'created_at'],
  },
  connections: {
    columns: connectionColumns,
    search: undefined,
    headers: ['Name', 'Spent Today', 'Last Used', 'Last Error', 'Rejected Calls', 'Actions'],
    sorted: ['name', 'last_used_at'],
  },
};

test.each(Object.entries(lists))(
  'the list of %s shows its columns and stores every order in the URL',
  (_, list) => {
    const columns = list.columns as unknown as Columns<object>;
    expect(columns.filter(({ meta }) => !meta?.isOptional).map(({ header }) => header)).toEqual(list.headers);
    expect(columns.filter(({ meta }) => meta?.isSortable).map(idOf)).toEqual(list.sorted);
    for (const ordering of list.search ? list.sorted.flatMap((id) => [id, `-${id}`]) : [])
      expect(list.search?.routing.validateSearch({ ordering } as never).ordering).toBe(ordering);
  },
);

test('the log is filtered by kinds of status codes, single status codes and periods', () => {
  expect(Object.fromEntries(statusCodeChoices.map(({ label, value }) => [label, value]))).toEqual({
    'All Status Codes': 'all',
    'Success (2xx)': 'success',
    'Client Error (4xx)': 'client_error',
    'Refused Sends': 'refused_send',
    'Server Error (5xx)': 'server_error',
    ...Object.fromEntries(
      ['200', '201', '400', '401', '402', '404', '429', '500', '503'].map((code) => [code, code]),
    ),
  });
  expect(Object.fromEntries(periods.map(({ label, value }) => [label, value]))).toEqual({
    'Last 24 hours': '1',
    'Last 7 days': '7',
    'Last 15 days': '15',
    'Last 30 days': '30',
    'Last 90 days': '90',
    'All time': 'all',
    'Custom range': 'custom',
  });
});
