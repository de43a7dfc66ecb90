/** The pages of the operator console, which only operators see. */
export const operatorPages = {
  overview: { path: '/operator', title: 'Overview' },
  accounts: { path: '/operator/accounts', title: 'Accounts' },
  carriers: { path: '/operator/carriers', title: 'Carriers' },
  protection: { path: '/operator/protection', title: 'Protection' },
  prices: { path: '/operator/prices', title: 'Prices' },
  payments: { path: '/operator/payments', title: 'Payments' },
  optOuts: { path: '/operator/opt-outs', title: 'Opt-outs and Erasure' },
  announcements: { path: '/operator/announcements', title: 'Announcements' },
  keys: { path: '/operator/keys', title: 'Keys' },
  settings: { path: '/operator/settings', title: 'Settings' },
  audit: { path: '/operator/audit', title: 'Audit Log' },
} as const;

/** The steps from the sandbox to the first real code. Not in the menu: the overview and the carriers lead to it. */
export const firstCodePage = { path: '/operator/carriers/first-code', title: 'First Real Code' } as const;
