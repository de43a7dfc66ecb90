import { listOperatorAccounts, type OperatorAccount } from '@sixdigit/contract/operator/accounts.ts';
import { listPurchases, type OperatorPurchase } from '@sixdigit/contract/operator/payments.ts';
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
import { type Command, matching, useFrameActions } from '../frame/palette/useCommands.ts';
import { shortDateTime } from '../ui/dates.ts';
import type { Choice, ChoiceGroup } from '../ui/Finder.tsx';
import { STATES } from './accounts/columns.tsx';
import { pagesFor, useAccountId, viewsOf } from './console-places.ts';
import { accountOf } from './operator.ts';
import { canBePhone, isLookedUp, readPaletteText, type Verb } from './palette-text.ts';
import { lookOf } from './payments/columns.tsx';
import { displayCents, isRefundable } from './payments/payments.ts';

interface Asked {
  /** the typed text */
  text: string;
  /** the debounced text, for the look-up */
  settled: string;
  openHelp: () => void;
}

interface Commands {
  groups: ChoiceGroup[];
  isSearching: boolean;
  /** The look-up failed. */
  isFailed: boolean;
}

const SHOWN = 5;
const FRESH_MS = 10_000;
const accountsFor = (search: string) =>
  read(listOperatorAccounts, { query: { search, page_size: SHOWN } }, { staleTime: FRESH_MS });
const purchasesFor = (search: string) =>
  read(listPurchases, { query: { search, page_size: SHOWN } }, { staleTime: FRESH_MS });

/** The console palette's choices. Support operators get none of the actions that only admins may take. */
export function useConsoleCommands({ text, settled, openHelp }: Asked): Commands {
  const { data: user } = useQuery(currentUser);
  const isAdmin = user?.operator_role === 'admin';
  const navigate = useNavigate();
  const frameActions = useFrameActions(openHelp);
  const open = useOpenAccount(isAdmin);
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

  const pages = pagesFor(user?.operator_role ?? 'support').flatMap(({ places }) =>
    places.map(({ path, title, Icon }) => ({
      id: path,
      label: title,
      words: 'go to page',
      Icon,
      run: () => void navigate({ to: path }),
    })),
  );
  const actions: Command[] = [
    ...(isAdmin ? adminActions(navigate) : []),
    {
      id: 'export',
      label: 'Export for Accounting',
      words: 'csv payments bookkeeping download',
      Icon: IconDownload,
      run: () => void navigate({ to: '/operator/payments', hash: 'export' }),
    },
    {
      id: 'doctor',
      label: 'Run Diagnostics',
      words: 'doctor health check',
      Icon: IconStethoscope,
      run: () => void navigate({ to: '/operator', hash: 'doctor' }),
    },
    {
      id: 'leave',
      label: 'Back to Your Account',
      words: 'leave exit console dashboard',
      Icon: IconArrowNarrowLeft,
      run: () => void navigate({ to: '/' }),
    },
    ...frameActions,
  ];
  const { subject: typed } = readPaletteText(text);
  const phone: Command[] = [
    {
      id: 'phone',
      label: `Find the account with the phone number ${typed}`,
      Icon: IconPhone,
      run: () => void navigate({ to: '/operator/accounts', search: { search: typed } }),
    },
  ];
  const found = purchases.isEnabled ? (purchases.data?.results ?? []) : [];
  const groups = [
    { title: 'Phone number', choices: canBePhone(typed) ? phone : [] },
    {
      title: 'Accounts',
      choices: accounts.isEnabled ? (accounts.data?.results ?? []).filter(isFor(action)).map(toAccount) : [],
    },
    {
      title: 'Payments',
      choices: found.filter((one) => action !== 'refund' || isRefundable(one)).map(toPurchase),
    },
    { title: open.title, choices: matching(open.commands, text) },
    { title: 'Pages', choices: matching(pages, text) },
    { title: 'Actions', choices: matching(actions, text) },
  ];
  return {
    groups: groups.filter(({ choices }) => choices.length > 0),
    isSearching: accounts.isFetching || purchases.isFetching,
    isFailed: (accounts.isEnabled && accounts.isError) || (purchases.isEnabled && purchases.isError),
  };
}

const VERB_TEXTS: Record<Exclude<Verb, 'refund'>, string> = {
  suspend: 'Suspend',
  resume: 'Resume',
  adjust: 'Adjust Credits',
  limits: 'Change Limits',
};

/** The accounts on which an action is possible. */
const isFor =
  (action: Verb | undefined) =>
  ({ state }: OperatorAccount): boolean => {
    if (action === undefined) return true;
    if (action === 'suspend') return state === 'active';
    if (action === 'resume') return state === 'suspended';
    return state !== 'deleted';
  };

type Navigate = ReturnType<typeof useNavigate>;

const adminActions = (navigate: Navigate): Command[] => [
  {
    id: 'refund',
    label: 'Refund a Purchase',
    words: 'payment money back card',
    Icon: IconReceiptRefund,
    run: () => void navigate({ to: '/operator/payments', search: { status: 'succeeded' } }),
  },
  {
    id: 'block',
    label: 'Block a Destination',
    words: 'deny list prefix country number fraud',
    Icon: IconBan,
    run: () => void navigate({ to: '/operator/protection', hash: 'deny' }),
  },
  {
    id: 'price',
    label: 'Add a Price',
    words: 'new send message country channel',
    Icon: IconPlus,
    run: () => void navigate({ to: '/operator/prices', hash: 'add' }),
  },
  {
    id: 'announce',
    label: 'Create Announcement',
    words: 'new announcement banner maintenance incident',
    Icon: IconSpeakerphone,
    run: () => void navigate({ to: '/operator/announcements', search: { dialog: 'create' } }),
  },
  {
    id: 'key',
    label: 'Create Operator Key',
    words: 'new secret automation',
    Icon: IconPlus,
    run: () => void navigate({ to: '/operator/keys', search: { dialog: 'create' } }),
  },
  {
    id: 'erase-recipient',
    label: 'Erase a Recipient',
    words: 'privacy request gdpr delete number address',
    Icon: IconEraser,
    run: () => void navigate({ to: '/operator/opt-outs', hash: 'erase' }),
  },
];

/** The open account's views and actions. */
function useOpenAccount(isAdmin: boolean): { title: string; commands: Command[] } {
  const navigate = useNavigate();
  const id = useAccountId();
  const { data: account } = useQuery({ ...accountOf(id ?? ''), enabled: id !== undefined });
  if (id === undefined || !account) return { title: 'Account', commands: [] };
  const views = viewsOf(id).map(({ path, title, Icon }) => ({
    id: path,
    label: title,
    words: 'account',
    Icon,
    run: () => void navigate({ to: path }),
  }));
  const ask = (hash: string) => (): void => void navigate({ to: '.', search: true, hash });
  const actions = [
    { id: 'limits', label: 'Change Limits', words: 'rate spend countries trusted', Icon: IconAdjustments },
    { id: 'adjust', label: 'Adjust Credits', words: 'add remove balance goodwill', Icon: IconCoins },
    account.state === 'suspended'
      ? { id: 'resume', label: 'Resume the Account', words: 'unblock reinstate', Icon: IconPlayerPlay }
      : { id: 'suspend', label: 'Suspend the Account', words: 'block ban stop', Icon: IconBan },
    { id: 'email', label: 'Change the Email Address', words: 'lost mailbox', Icon: IconMail },
    { id: 'erase', label: 'Erase the Account', words: 'delete privacy', Icon: IconEraser },
  ].map((action) => ({ ...action, run: ask(action.id) }));
  const canAct = isAdmin && account.state !== 'deleted';
  return { title: account.email ?? 'Deleted account', commands: [...views, ...(canAct ? actions : [])] };
}
