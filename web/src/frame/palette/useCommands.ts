import { useMantineColorScheme } from '@mantine/core';
import { listRequestLogs, type RequestLog } from '@sixdigit/contract/request-logs.ts';
import { listVerifications, type Verification } from '@sixdigit/contract/verifications.ts';
import {
  IconArrowForwardUp,
  IconArrowsExchange,
  IconCoins,
  IconDeviceDesktop,
  IconFlask,
  IconKey,
  IconKeyboard,
  IconListDetails,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSend,
  IconServerCog,
  IconShieldCheck,
  IconSun,
  IconWebhook,
} from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { askForAccount } from '../../accounts/account-dialogs.ts';
import { currentUser } from '../../accounts/current-user.ts';
import { nameOf, openAccount, ownAccounts } from '../../accounts/own-accounts.ts';
import { type Action, useMay } from '../../accounts/role.ts';
import { roleNames } from '../../accounts/role-texts.ts';
import { useSignOut } from '../../accounts/sign-out.ts';
import { call } from '../../api/call.ts';
import { deployment } from '../../api/deployment.ts';
import { asPage } from '../../api/list.ts';
import { apiKeyChoices, connectionChoices } from '../../api-keys/api-keys.ts';
import { isBeginningOf, isRecipient } from '../../otp/whole-recipient.ts';
import { secondaryPages } from '../../pages.ts';
import { hasSingleKeys } from '../../table/list-keys.ts';
import { statusLabel } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import type { Choice, ChoiceGroup } from '../../ui/Finder.tsx';
import { usePhoneFormat } from '../../ui/phone-numbers.ts';
import { webhookChoices } from '../../webhooks/webhooks.ts';
import { useMainPages } from '../main-pages.ts';
import { useSections } from '../sections.ts';

/** The actions of every screen. */
export function useFrameActions(openHelp: () => void): Command[] {
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return [
    ...(
      [
        ['auto', 'Use System Theme', IconDeviceDesktop],
        ['light', 'Use Light Theme', IconSun],
        ['dark', 'Use Dark Theme', IconMoon],
      ] as const
    ).map(([scheme, label, Icon]) => ({
      id: scheme,
      label,
      words: 'colour color scheme mode switch',
      Icon,
      run: () => setColorScheme(scheme),
    })),
    {
      id: 'shortcuts',
      label: 'Keyboard Shortcuts',
      words: 'help keys',
      ...(hasSingleKeys() && { shortcut: '?' }),
      Icon: IconKeyboard,
      run: openHelp,
    },
    {
      id: 'sign-out',
      label: 'Log Out',
      words: 'sign out leave',
      Icon: IconLogout,
      run: () => signOut.mutate(),
    },
  ];
}

interface Asked {
  /** the typed text */
  text: string;
  /** the debounced text, for the lookup */
  settled: string;
  openHelp: () => void;
}

/** The palette's choices for a text, and whether the lookup is pending. */
export function useCommands({ text, settled, openHelp }: Asked): {
  groups: ChoiceGroup[];
  isSearching: boolean;
} {
  const navigate = useNavigate();
  const router = useRouter();
  const { data: user } = useQuery(currentUser);
  const { data: accounts } = useQuery({ ...ownAccounts, enabled: user?.role !== undefined });
  const may = useMay();
  const main = useMainPages();
  const sections = useSections();
  const frameActions = useFrameActions(openHelp);
  const phoneText = usePhoneFormat();
  const query = useQuery(foundBy(settled));
  const found = query.isEnabled ? query.data : undefined;

  const pathname = useLocation({ select: (location) => location.pathname });
  const pages = [
    ...[...main, ...secondaryPages]
      .filter(({ path }) => text !== '' || path !== pathname)
      .map(({ path, title, Icon }) => ({
        id: path,
        label: title,
        words: 'go to page',
        ...(path === pathname && { detail: 'Current page' }),
        Icon,
        run: () => void navigate({ to: path }),
      })),
    ...(user?.operator_role
      ? [
          {
            id: 'operator',
            label: 'Operator Console',
            Icon: IconServerCog,
            run: () => void navigate({ to: '/operator' }),
          },
        ]
      : []),
    ...(deployment().sandbox?.inbox
      ? [
          {
            id: 'sandbox',
            label: 'Sandbox inbox',
            words: 'messages',
            Icon: IconFlask,
            run: () => void window.open(router.buildLocation({ to: '/sandbox' }).href, '_blank', 'noopener'),
          },
        ]
      : []),
  ];
  const actions: Command[] = [
    {
      id: 'test-send',
      label: 'Send a Test Code',
      words: 'try otp message verify',
      Icon: IconSend,
      needs: 'sendTestCode',
      run: () => void navigate({ to: '/', search: { dialog: 'test-send' } }),
    },
    {
      id: 'create-key',
      label: 'Create API Key',
      words: 'new secret token',
      Icon: IconPlus,
      needs: 'createApiKey',
      run: () => void navigate({ to: '/api-keys', search: { dialog: 'create' } }),
    },
    {
      id: 'create-connection',
      label: 'Create Connection',
      words: 'new connect system supabase keycloak twilio auth hook',
      Icon: IconPlus,
      needs: 'createConnection',
      run: () => void navigate({ to: '/connections', search: { dialog: 'create' } }),
    },
    {
      id: 'create-webhook',
      label: 'Add Webhook',
      words: 'create new endpoint url',
      Icon: IconPlus,
      needs: 'createWebhook',
      run: () => void navigate({ to: '/webhooks', search: { dialog: 'create' } }),
    },
    {
      id: 'buy',
      label: 'Buy Credits',
      words: 'purchase pay balance',
      Icon: IconCoins,
      needs: 'createIntent',
      run: () => void navigate({ to: '/credits' }),
    },
  ];
  const owned = (accounts?.results ?? []).filter(({ role }) => role === 'owner');
  if (user?.role === 'owner' && owned.length > 1)
    actions.push({
      id: 'transfer',
      label: 'Move Credits',
      words: 'transfer balance between accounts',
      Icon: IconArrowsExchange,
      run: () => void navigate({ to: '/credits', search: { step: 'transfer' } }),
    });
  const permitted = actions.filter(({ needs }) => needs === undefined || may(needs));
  const named = useNamed(text !== '');
  const others = (accounts?.results ?? [])
    .filter(({ id }) => id !== user?.account_id)
    .map((account) => ({
      id: account.id,
      label: nameOf(account),
      words: 'switch account',
      detail: roleNames[account.role],
      Icon: IconArrowsExchange,
      run: () => openAccount(account.slug),
    }));
  const ofAccounts: Command[] = [
    ...others,
    ...(user?.role && !user.is_sso_session
      ? [
          {
            id: 'create-account',
            label: 'Create Another Account',
            words: 'new team company tenant',
            detail: 'With its own keys, credits and members',
            Icon: IconPlus,
            run: () => askForAccount('create'),
          },
        ]
      : []),
  ];
  const verifications = found?.verifications ?? [];
  const ofVerifications = verifications.map((otp) => ({
    id: otp.id,
    label: phoneText(otp.recipient),
    detail: `${statusLabel(otp.status)} · ${shortDateTime(otp.created_at)}`,
    Icon: IconShieldCheck,
    run: () => void navigate({ to: '/', search: { otp: otp.id } }),
  }));
  const requests = (found?.requests ?? []).map((log) => ({
    id: log.id,
    label: `${log.method} ${log.endpoint}`,
    detail: `${log.response_status_code} · ${shortDateTime(log.created_at)}`,
    Icon: IconListDetails,
    run: () => void navigate({ to: '/logs', search: { request: log.request_id } }),
  }));
  // Preselected, so only once the lookup has found no longer recipient.
  const isWhole =
    isRecipient(text) &&
    text === settled &&
    !query.isLoading &&
    !verifications.some(({ recipient }) => isBeginningOf(text, recipient));
  const recipients =
    may('getRecipient') && isWhole
      ? [
          {
            id: 'recipient',
            label: `Recipient history of ${text}`,
            detail: 'Codes, refusals, blocks and opt-outs',
            Icon: IconListDetails,
            run: () => void navigate({ to: '/', search: { search: text, days: 'all', dialog: 'recipient' } }),
          },
        ]
      : [];
  // Without a text, they would push the actions off the list.
  const parts = (text === '' ? [] : sections).map(({ page, id, title, words }) => ({
    id: `${page.path}#${id}`,
    label: title,
    detail: page.title,
    words: `${words} ${FIELDS[id] ?? ''}`,
    Icon: page.Icon,
    run: () => void navigate({ to: page.path, hash: id }),
  }));
  const groups = [
    { title: 'Recipients', choices: recipients },
    { title: 'Verifications', choices: ofVerifications },
    { title: 'Requests', choices: requests },
    // Before anything is typed, the sidebar already shows the pages.
    ...(text === '' ? [{ title: 'Actions', choices: permitted }] : []),
    { title: 'Pages', choices: matching(pages, text) },
    { title: 'Keys, connections and webhooks', choices: matching(named, text).slice(0, SHOWN) },
    { title: 'Sections', choices: matching(parts, text) },
    ...(text === '' ? [] : [{ title: 'Actions', choices: matching([...permitted, ...frameActions], text) }]),
    { title: 'Accounts', choices: matching(ofAccounts, text) },
    ...(text === '' ? [{ title: 'Dashboard', choices: frameActions }] : []),
  ];
  return { groups: groups.filter(({ choices }) => choices.length > 0), isSearching: query.isFetching };
}

/** The names of fields, by their section. */
const FIELDS: Record<string, string> = {
  profile: 'first last',
  members: 'rename account name',
  messages: 'name reply-to email default otp template',
  'auto-purchase': 'amount',
};

/** Keys, connections and webhook endpoints by name. Each opens its row, where its actions are. */
function useNamed(enabled: boolean): Command[] {
  const navigate = useNavigate();
  const { data: keys } = useQuery({ ...apiKeyChoices, enabled });
  const { data: connections } = useQuery({ ...connectionChoices, enabled });
  const { data: webhooks } = useQuery({ ...webhookChoices, enabled });
  if (!enabled) return [];
  const commands = (
    rows: readonly { id: string; name: string }[] | undefined,
    { to, ...shown }: Pick<Command, 'detail' | 'words' | 'Icon'> & { to: string },
  ): Command[] =>
    (rows ?? []).map(({ id, name }) => ({
      ...shown,
      id,
      label: name,
      run: () => void navigate({ to, search: { search: name } }),
    }));
  return [
    ...commands(keys?.results, {
      ...{ to: '/api-keys', detail: 'API key', Icon: IconKey },
      words: 'api key edit rename rotate delete limits secret',
    }),
    ...commands(connections, {
      ...{ to: '/connections', detail: 'Connection', Icon: IconArrowForwardUp },
      words: 'connection test edit rename rotate delete secret',
    }),
    ...commands(webhooks, {
      ...{ to: '/webhooks', detail: 'Webhook', Icon: IconWebhook },
      words: 'webhook endpoint deliveries replay edit rename rotate delete secret',
    }),
  ];
}

interface Found {
  verifications: readonly Verification[];
  requests: readonly RequestLog[];
}

const SHORTEST = 3;
const SHOWN = 5;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be part of an id or a recipient rather than a command. */
export const isLookedUp = (text: string): boolean => text.length >= SHORTEST && /[\d@+]/.test(text);

/** Verifications by id or recipient, and requests by their id or their verification's id, including test traffic. */
const foundBy = (text: string) =>
  queryOptions({
    queryKey: ['palette', text],
    enabled: isLookedUp(text),
    staleTime: 10_000,
    queryFn: async ({ signal }): Promise<Found> => {
      const query = { search: text, page_size: SHOWN, mode: 'all' } as const;
      const [verifications, requests] = await Promise.all([
        call(listVerifications, { query, signal }),
        ID.test(text) ? call(listRequestLogs, { query, signal }) : { results: [], count: 0 },
      ]);
      return { verifications: asPage(verifications).results, requests: asPage(requests).results };
    },
  });

/** A page or an action. */
export interface Command extends Choice {
  /** more search words */
  words?: string;
  /** the call that the user's role must allow */
  needs?: Action;
}

/** The commands that contain every word of the text. Those whose label begins with it come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ label }: Command): number => (label.toLowerCase().startsWith(words.join(' ')) ? 0 : 1);
  return commands
    .filter(({ label, words: others = '' }) => {
      const all = `${label} ${others}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((one, other) => rank(one) - rank(other));
}
