import {
  IconArrowsExchange,
  IconCoins,
  IconFlask,
  IconListDetails,
  IconPlus,
  IconSend,
  IconServerCog,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { askForAccount } from '../../accounts/account-dialogs.ts';
import { currentUser } from '../../accounts/current-user.ts';
import { nameOf, openAccount, ownAccounts } from '../../accounts/own-accounts.ts';
import { useMainPages, useMay } from '../../accounts/role.ts';
import { roleNames } from '../../accounts/role-texts.ts';
import { deployment } from '../../api/deployment.ts';
import { isBeginningOf, isRecipient } from '../../otp/whole-recipient.ts';
import { type pages, secondaryPages } from '../../pages.ts';
import { type Asked, Finder, type Found } from '../../ui/Finder.tsx';
import { useSections } from '../sections.ts';
import {
  type AddressIn,
  type Command,
  type Lead,
  matching,
  type PaletteProps,
  useFrameActions,
  useLeads,
} from './commands.ts';
import { SHORTEST, useFound, useNamed } from './found.ts';

/** Finds pages and actions, and verifications and requests by id or recipient. */
export function CommandPalette({ openHelp, ...dialog }: PaletteProps) {
  const useChoices = (asked: Asked): Found => useCommands(asked, openHelp);
  return (
    <Finder
      {...dialog}
      label="Search and commands"
      placeholder="Page, action, recipient or id"
      useChoices={useChoices}
    />
  );
}

type Address = AddressIn<(typeof pages)[keyof typeof pages]>;

const ACTIONS: readonly Lead<Address>[] = [
  ['Send a Test Code', 'try otp message verify', IconSend, '/?dialog=test-send', 'sendTestCode'],
  ['Create API Key', 'new secret token', IconPlus, '/api-keys?dialog=create', 'createApiKey'],
  [
    'Create Connection',
    'new connect system supabase keycloak twilio auth hook',
    IconPlus,
    '/connections?dialog=create',
    'createConnection',
  ],
  ['Add Webhook', 'create new endpoint url', IconPlus, '/webhooks?dialog=create', 'createWebhook'],
  ['Buy Credits', 'purchase pay balance', IconCoins, '/credits', 'createIntent'],
];
const TRANSFER: Lead<Address> = [
  'Move Credits',
  'transfer balance between accounts',
  IconArrowsExchange,
  '/credits?step=transfer',
];

function useCommands({ text, settled }: Asked, openHelp: () => void): Found {
  const { data: user } = useQuery(currentUser);
  const { data: accounts } = useQuery({ ...ownAccounts, enabled: user?.role !== undefined });
  const all = accounts?.results ?? [];
  const may = useMay();
  const leads = useLeads();
  const frameActions = useFrameActions(openHelp);
  const places = usePages(text);
  const named = useNamed(text !== '');
  const sections = useSectionCommands();
  const { query, ...found } = useFound(settled);
  const navigate = useNavigate();
  const ownsSeveral = user?.role === 'owner' && all.filter(({ role }) => role === 'owner').length > 1;
  const actions = leads(ownsSeveral ? [...ACTIONS, TRANSFER] : ACTIONS);
  const others: Command[] = all
    .filter(({ id }) => id !== user?.account_id)
    .map((account) => ({
      id: account.id,
      label: nameOf(account),
      words: 'switch account',
      detail: roleNames[account.role],
      Icon: IconArrowsExchange,
      run: () => openAccount(account.slug),
    }));
  if (user?.role && !user.is_sso_session)
    others.push({
      label: 'Create Another Account',
      words: 'new team company tenant',
      detail: 'With its own keys, credits and members',
      Icon: IconPlus,
      run: () => askForAccount('create'),
    });
  // Preselected, so only once the lookup has found no longer recipient.
  const isWhole =
    isRecipient(text) &&
    text === settled &&
    !query.isLoading &&
    !found.recipients.some((recipient) => isBeginningOf(text, recipient));
  const history = {
    label: `Recipient history of ${text}`,
    detail: 'Codes, refusals, blocks and opt-outs',
    Icon: IconListDetails,
    run: () => void navigate({ to: '/', search: { search: text, days: 'all', dialog: 'recipient' } }),
  };
  const isSearching = query.isFetching;
  return {
    isSearching,
    note: isSearching || text !== settled ? 'Searching...' : text.length < SHORTEST ? TOO_SHORT : NOTHING,
    groups: [
      { title: 'Recipients', choices: may('getRecipient') && isWhole ? [history] : [] },
      { title: 'Verifications', choices: found.verifications },
      { title: 'Requests', choices: found.requests },
      // Before anything is typed, the sidebar already shows the pages, and sections would push the actions off the list.
      ...(text === '' ? [{ title: 'Actions', choices: actions }] : []),
      { title: 'Pages', choices: matching(places, text) },
      { title: 'Keys, connections and webhooks', choices: matching(named, text).slice(0, 5) },
      ...(text === ''
        ? []
        : [
            { title: 'Sections', choices: matching(sections, text) },
            { title: 'Actions', choices: matching([...actions, ...frameActions], text) },
          ]),
      { title: 'Accounts', choices: matching(others, text) },
      ...(text === '' ? [{ title: 'Dashboard', choices: frameActions }] : []),
    ],
  };
}

const TOO_SHORT = 'Type at least three characters of a recipient or an id.';
const NOTHING = 'No page, action, recipient or id matches.';

function usePages(text: string): Command[] {
  const { data: user } = useQuery(currentUser);
  const navigate = useNavigate();
  const router = useRouter();
  const main = useMainPages();
  const pathname = useLocation({ select: (location) => location.pathname });
  const pages: Command[] = [...main, ...secondaryPages]
    .filter(({ path }) => text !== '' || path !== pathname)
    .map(({ path, title, Icon }) => ({
      label: title,
      words: 'go to page',
      ...(path === pathname && { detail: 'Current page' }),
      Icon,
      run: () => void navigate({ to: path }),
    }));
  if (user?.operator_role)
    pages.push({
      label: 'Operator Console',
      Icon: IconServerCog,
      run: () => void navigate({ to: '/operator' }),
    });
  if (deployment().sandbox?.inbox)
    pages.push({
      label: 'Sandbox inbox',
      words: 'messages',
      Icon: IconFlask,
      run: () => void window.open(router.buildLocation({ to: '/sandbox' }).href, '_blank', 'noopener'),
    });
  return pages;
}

/** The names of fields, by their section. */
const FIELDS: Record<string, string> = {
  profile: 'first last',
  members: 'rename account name',
  messages: 'name reply-to email default otp template',
  'auto-purchase': 'amount',
};

function useSectionCommands(): Command[] {
  const navigate = useNavigate();
  return useSections().map(({ page, id, title, words }) => ({
    id: `${page.path}#${id}`,
    label: title,
    detail: page.title,
    words: `${words} ${FIELDS[id] ?? ''}`,
    Icon: page.Icon,
    run: () => void navigate({ to: page.path, hash: id }),
  }));
}
