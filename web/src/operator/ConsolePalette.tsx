import { listOperatorAccounts, type OperatorAccount } from '@sixdigit/contract/operator/accounts.ts';
import { listPurchases, type OperatorPurchase } from '@sixdigit/contract/operator/payments.ts';
import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';
import {
  IconAdjustments,
  IconArrowNarrowLeft,
  IconBan,
  IconCoins,
  IconCreditCard,
  IconDownload,
  IconEraser,
  IconMail,
  IconPhone,
  IconPlayerPlay,
  IconPlus,
  IconReceiptRefund,
  IconSpeakerphone,
  IconStethoscope,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { read } from '../api/read.ts';
import {
  type AddressIn,
  type Command,
  type Lead,
  matching,
  type PaletteProps,
  useFrameActions,
  useLeads,
} from '../frame/palette/commands.ts';
import { pages } from '../pages.ts';
import { shortDateTime } from '../ui/dates.ts';
import { type Asked, type Choice, Finder, type Found } from '../ui/Finder.tsx';
import { STATES } from './accounts/columns.tsx';
import { pagesFor, useAccountId, viewsOf } from './console-places.ts';
import { accountOf } from './operator.ts';
import type { operatorPages } from './operator-pages.ts';
import { lookOf } from './payments/columns.tsx';
import { displayCents, isRefundable } from './payments/payments.ts';

/** Finds accounts, payments, console pages and actions. */
export function ConsolePalette({ openHelp, ...dialog }: PaletteProps) {
  const useChoices = (asked: Asked): Found => useConsoleCommands(asked, openHelp);
  return (
    <Finder
      {...dialog}
      label="Search the console"
      placeholder="Account, payment, page or action"
      useChoices={useChoices}
    />
  );
}

const SHOWN = 5;
const FRESH_MS = 10_000;
const accountsFor = (search: string) =>
  read(listOperatorAccounts, { query: { search, page_size: SHOWN } }, { staleTime: FRESH_MS });
const purchasesFor = (search: string) =>
  read(listPurchases, { query: { search, page_size: SHOWN } }, { staleTime: FRESH_MS });

/** The console palette's choices. Support operators get none of the actions that only admins may take. */
function useConsoleCommands({ text, settled }: Asked, openHelp: () => void): Found {
  const { data: user } = useQuery(currentUser);
  const isAdmin = user?.operator_role === 'admin';
  const navigate = useNavigate();
  const open = useOpenAccount(isAdmin);
  const leads = useLeads();
  const { subject, verb } = readPaletteText(settled);
  const action = isAdmin ? verb : undefined;
  const enabled = isLookedUp(subject);
  const accounts = useQuery({ ...accountsFor(subject), enabled: enabled && action !== 'refund' });
  const purchases = useQuery({
    ...purchasesFor(subject),
    enabled: enabled && (action === undefined || action === 'refund'),
  });

  const toAccount = ({ id, email, state, first_name, last_name }: OperatorAccount): Choice => ({
    id,
    label: `${action && action !== 'refund' ? `${VERB_TEXTS[action]}: ` : ''}${email ?? 'Deleted account'}`,
    detail: state === 'active' ? `${first_name} ${last_name}`.trim() : STATES[state].label,
    Icon: IconUser,
    run: () =>
      void navigate({ to: '/operator/accounts/$id', params: { id }, ...(action && { hash: action }) }),
  });
  const toPurchase = (purchase: OperatorPurchase): Choice => ({
    id: purchase.id,
    label: `${action === 'refund' ? 'Refund ' : ''}${displayCents(purchase.price_usd_cents)} · ${purchase.email ?? 'Deleted account'}`,
    detail: `${lookOf(purchase).label} · ${shortDateTime(purchase.created_at)}`,
    Icon: action === 'refund' ? IconReceiptRefund : IconCreditCard,
    run: () =>
      void navigate({
        to: '/operator/payments',
        search: { search: purchase.id },
        ...(action === 'refund' && { hash: 'refund' }),
      }),
  });

  const ofConsole = pagesFor(user?.operator_role ?? 'support').flatMap(({ places }) =>
    places.map(({ path, title, Icon }): Lead => [title, 'go to page', Icon, path]),
  );
  const actions = [...leads(isAdmin ? [...OF_ADMINS, ...ACTIONS] : ACTIONS), ...useFrameActions(openHelp)];
  const { subject: typed } = readPaletteText(text);
  const byPhone = {
    label: `Find the account with the phone number ${typed}`,
    Icon: IconPhone,
    run: () => void navigate({ to: '/operator/accounts', search: { search: typed } }),
  };
  const found = purchases.isEnabled ? (purchases.data?.results ?? []) : [];
  const isSearching = accounts.isFetching || purchases.isFetching;
  const isFailed = [accounts, purchases].some(({ isEnabled, isError }) => isEnabled && isError);
  return {
    isSearching,
    note: isSearching || text !== settled ? 'Searching...' : isFailed ? FAILED : NOTHING,
    groups: [
      { title: 'Phone number', choices: canBePhone(typed) ? [byPhone] : [] },
      {
        title: 'Accounts',
        choices: accounts.isEnabled
          ? (accounts.data?.results ?? []).filter((one) => suitsAccount(action, one)).map(toAccount)
          : [],
      },
      {
        title: 'Payments',
        choices: found.filter((one) => suitsPurchase(action, one)).map(toPurchase),
      },
      { title: open.title, choices: matching(open.commands, text) },
      { title: 'Pages', choices: matching(leads(ofConsole), text) },
      { title: 'Actions', choices: matching(actions, text) },
    ],
  };
}

const FAILED = 'The search failed. Change the text to try again.';
const NOTHING = 'Nothing matches. Try a part of an address or a name, or a whole id.';

const VERB_TEXTS: Record<Exclude<Verb, 'refund'>, string> = {
  suspend: 'Suspend',
  resume: 'Resume',
  adjust: 'Adjust Credits',
  limits: 'Change Limits',
};

/** Whether the action is possible on the account. */
export function suitsAccount(action: Verb | undefined, { state }: Pick<OperatorAccount, 'state'>): boolean {
  if (action === undefined) return true;
  if (action === 'suspend') return state === 'active';
  if (action === 'resume') return state === 'suspended';
  return state !== 'deleted';
}

/** Whether the action is possible on the purchase. */
export const suitsPurchase = (
  action: Verb | undefined,
  purchase: Pick<OperatorPurchase, 'status' | 'refunded_cents' | 'price_usd_cents'>,
): boolean => action !== 'refund' || isRefundable(purchase);

type Address = AddressIn<
  (typeof operatorPages)[keyof typeof operatorPages] | (typeof pages)['verifications']
>;

const OF_ADMINS: readonly Lead<Address>[] = [
  ['Refund a Purchase', 'payment money back card', IconReceiptRefund, '/operator/payments?status=succeeded'],
  ['Block a Destination', 'deny list prefix country number fraud', IconBan, '/operator/protection#deny'],
  ['Add a Price', 'new send message country channel', IconPlus, '/operator/prices#add'],
  [
    'Create Announcement',
    'new announcement banner maintenance incident',
    IconSpeakerphone,
    '/operator/announcements?dialog=create',
  ],
  ['Create Operator Key', 'new secret automation', IconPlus, '/operator/keys?dialog=create'],
  ['Erase a Recipient', 'privacy request gdpr delete number address', IconEraser, '/operator/opt-outs#erase'],
];
const ACTIONS: readonly Lead<Address>[] = [
  ['Export for Accounting', 'csv payments bookkeeping download', IconDownload, '/operator/payments#export'],
  ['Run Diagnostics', 'doctor health check', IconStethoscope, '/operator#doctor'],
  ['Back to Your Account', 'leave exit console dashboard', IconArrowNarrowLeft, pages.verifications.path],
];

/** The open account's views and actions. */
function useOpenAccount(isAdmin: boolean): { title: string; commands: Command[] } {
  const navigate = useNavigate();
  const leads = useLeads();
  const id = useAccountId();
  const { data: account } = useQuery({ ...accountOf(id ?? ''), enabled: id !== undefined });
  if (id === undefined || !account) return { title: 'Account', commands: [] };
  const views = viewsOf(id).map(({ path, title, Icon }): Lead => [title, 'account', Icon, path]);
  const ask = (hash: string, label: string, words: string, Icon: typeof IconBan): Command => ({
    label,
    words,
    Icon,
    run: () => void navigate({ to: '.', search: true, hash }),
  });
  const actions = [
    ask('limits', 'Change Limits', 'rate spend countries trusted', IconAdjustments),
    ask('adjust', 'Adjust Credits', 'add remove balance goodwill', IconCoins),
    account.state === 'suspended'
      ? ask('resume', 'Resume the Account', 'unblock reinstate', IconPlayerPlay)
      : ask('suspend', 'Suspend the Account', 'block ban stop', IconBan),
    ask('email', 'Change the Email Address', 'lost mailbox', IconMail),
    ask('erase', 'Erase the Account', 'delete privacy', IconEraser),
  ];
  const canAct = isAdmin && account.state !== 'deleted';
  return {
    title: account.email ?? 'Deleted account',
    commands: [...leads(views), ...(canAct ? actions : [])],
  };
}

/** What an operator may ask the command palette for, before the name or the id: 'refund bob@example.com'. */
const VERBS = {
  refund: 'refund',
  block: 'suspend',
  suspend: 'suspend',
  resume: 'resume',
  adjust: 'adjust',
  credit: 'adjust',
  credits: 'adjust',
  limit: 'limits',
  limits: 'limits',
} as const;
type Verb = (typeof VERBS)[keyof typeof VERBS];

interface PaletteText {
  verb?: Verb;
  /** an address, a name or an id */
  subject: string;
}

export function readPaletteText(text: string): PaletteText {
  const [, first = '', rest = ''] = /^(\w+)\s+(?:to |of |for )?(.+)$/.exec(text.trim()) ?? [];
  const verb = VERBS[first.toLowerCase() as keyof typeof VERBS];
  return verb === undefined ? { subject: text.trim() } : { verb, subject: rest };
}

const SHORTEST = 3;

/**
 * Whether a text can be a whole phone number. The audit records each search by one, so the palette offers such a search instead of
 * making it while the operator types.
 */
export const canBePhone = (subject: string): boolean => /^\+?[\d\s()./-]{3,}$/.test(plainPhone(subject));

/** Whether accounts and purchases are searched for a text while the operator types it. */
export const isLookedUp = (subject: string): boolean => subject.length >= SHORTEST && !canBePhone(subject);
